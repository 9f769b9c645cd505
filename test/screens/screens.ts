// Every screen of the console and what opens on it, for checks that look at all of them.
import type { ConsolePage } from '../support/console-browser.ts'
import { dialogs } from './dialogs.ts'
import type { Screen } from './screen.ts'

const click = (name: string | RegExp) => async (page: ConsolePage) => {
  await page.getByRole('button', { name }).first().click()
  await page.getByRole('dialog').or(page.getByRole('alertdialog')).first().waitFor()
}

const inMenu = (row: RegExp, item: string) => async (page: ConsolePage) => {
  await page.getByRole('row', { name: row }).getByRole('button').last().click()
  await page.getByRole('menuitem', { name: item }).click()
  await page.getByRole('dialog').waitFor()
}

const press = (keys: string, role: 'dialog' | 'menu') => async (page: ConsolePage) => {
  await page.keyboard.press(keys)
  await page.getByRole(role).first().waitFor()
}

const frame: readonly Screen[] = [
  { name: 'search', path: () => '/runs', prepare: press('Control+k', 'dialog') },
  {
    name: 'shortcuts',
    opens: 'frame/shortcut-list.tsx',
    path: () => '/runs',
    prepare: press('?', 'dialog'),
  },
  { name: 'notices', path: () => '/runs', prepare: click(/^Notices/) },
  {
    name: 'account menu',
    path: () => '/runs',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Account', exact: true }).click()
      await page.getByRole('menu').waitFor()
    },
  },
  { name: 'not found', path: () => '/nowhere' },
  {
    name: 'tour',
    path: () => '/welcome',
    prepare: async (page) => {
      await page.getByRole('button', { name: /the tour$/ }).click()
      await page.getByRole('complementary', { name: 'Tour' }).waitFor()
    },
  },
]

const making: readonly Screen[] = [
  { name: 'chat', path: () => '/playground/chat' },
  { name: 'image', path: () => '/playground/image' },
  { name: 'video', path: () => '/playground/video' },
  { name: 'models', path: () => '/models' },
  { name: 'routes', path: () => '/models/routes' },
  { name: 'tasks', path: () => '/tasks' },
  { name: 'tasks as a table', path: () => '/tasks?view=table' },
  {
    name: 'tasks selected',
    path: () => '/tasks',
    prepare: (page) => page.getByRole('button', { name: 'Select', exact: true }).click(),
  },
  { name: 'task', path: ({ taskId }) => `/tasks/${taskId}` },
]

const workflows: readonly Screen[] = [
  { name: 'workflows', path: () => '/workflows' },
  { name: 'no workflow matches', path: () => '/workflows?q=nowhere' },
  { name: 'new workflow', path: () => '/workflows/new' },
  { name: 'triggers', path: () => '/workflows/triggers' },
  { name: 'new trigger', path: () => '/workflows/triggers?edit=new' },
  { name: 'canvas', path: ({ workflowId }) => `/workflows/${workflowId}` },
  {
    name: 'blank canvas',
    path: () => '/workflows/new',
    prepare: async (page) => {
      await page.getByRole('button', { name: /blank|empty/i }).click()
      await page.waitForURL(/workflows\/(?!new)/)
      await page.waitForLoadState('networkidle')
    },
  },
  { name: 'inspector', path: ({ smallId }) => `/workflows/${smallId}?node=shorten` },
  { name: 'versions', path: ({ workflowId }) => `/workflows/${workflowId}?panel=versions` },
  { name: 'graph as JSON', path: ({ workflowId }) => `/workflows/${workflowId}?panel=json` },
  { name: 'problems', path: ({ smallId }) => `/workflows/${smallId}?panel=problems` },
  { name: 'compare', path: ({ workflowId }) => `/workflows/${workflowId}/compare?from=1&to=2` },
]

const running: readonly Screen[] = [
  { name: 'overview', path: () => '/' },
  { name: 'welcome', path: () => '/welcome' },
  { name: 'inbox', path: () => '/inbox' },
  { name: 'runs', path: () => '/runs' },
  { name: 'live', path: () => '/runs/live' },
  { name: 'run', path: ({ runId }) => `/runs/${runId}` },
  { name: 'failed run', path: ({ failedRunId }) => `/runs/${failedRunId}` },
  {
    name: 'retry',
    opens: 'screens/runs/retry-dialog.tsx',
    path: ({ failedRunId }) => `/runs/${failedRunId}`,
    prepare: click('Retry'),
  },
  {
    name: 'node of a run',
    opens: 'screens/runs/node-panel.tsx',
    path: ({ failedRunId }) => `/runs/${failedRunId}?node=send`,
  },
  { name: 'usage', path: () => '/usage?measure=calls' },
  { name: 'budgets', path: () => '/usage/budgets' },
]

const settings: readonly Screen[] = [
  { name: 'keys', path: () => '/developer/keys' },
  {
    name: 'new key',
    opens: 'screens/keys/key-dialog.tsx',
    path: () => '/developer/keys?new=true',
  },
  { name: 'credentials', path: () => '/developer/credentials' },
  {
    name: 'new credential',
    path: () => '/developer/credentials',
    prepare: click(/^(New|Add|Store).*credential/),
  },
  { name: 'webhooks', path: () => '/developer/webhooks' },
  { name: 'connect', path: () => '/developer/connect' },
  { name: 'audit log', path: () => '/developer/audit' },
  { name: 'account', path: () => '/settings/account' },
  { name: 'members', path: () => '/settings/members' },
  {
    name: 'invite',
    opens: 'screens/members/invite-dialog.tsx',
    path: () => '/settings/members',
    prepare: click(/^Invite/),
  },
  { name: 'change a key', path: () => '/developer/keys', prepare: inMenu(/owner\.key/, 'Change') },
  { name: 'components', path: () => '/kit' },
]

const entrance: readonly Screen[] = [
  { name: 'sign in', path: () => '/sign-in', signedIn: false },
  { name: 'join', path: () => '/join#token=x', signedIn: false, expected: /40\d/ },
  { name: 'recover', path: () => '/recover#token=x', signedIn: false, expected: /40\d/ },
]

export const screens: readonly Screen[] = [
  ...frame,
  ...making,
  ...workflows,
  ...running,
  ...settings,
  ...entrance,
  ...dialogs,
]
