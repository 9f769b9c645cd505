// Every dialog, panel and menu of the console, and how a person gets there. `opens` names the file
// that draws it.
import type { ConsolePage } from '../support/console-browser.ts'
import type { Screen } from './screen.ts'

type Steps = (page: ConsolePage) => Promise<void>

/** Clicks a button and waits for what it opens. */
const click =
  (name: string | RegExp, role: 'dialog' | 'menu' | 'complementary' = 'dialog'): Steps =>
  async (page) => {
    await page.getByRole('button', { name }).first().click()
    await page.getByRole(role).first().waitFor()
  }

/** Chooses from the menu of a row. */
const inMenu =
  (row: RegExp, item: string | RegExp): Steps =>
  async (page) => {
    await page.getByRole('button', { name: row }).first().click()
    await page.getByRole('menuitem', { name: item }).click()
    await page.getByRole('dialog').first().waitFor()
  }

const press =
  (keys: string, role: 'dialog' | 'menu'): Steps =>
  async (page) => {
    await page.keyboard.press(keys)
    await page.getByRole(role).first().waitFor()
  }

/** Keys of the graph, with a node selected. */
const onNode =
  (keys: string, role: 'dialog' | 'menu'): Steps =>
  async (page) => {
    await page.getByRole('application', { name: 'Workflow graph' }).focus()
    await page.keyboard.press('Home')
    await press(keys, role)(page)
  }

const canvas: readonly Screen[] = [
  {
    name: 'add a node',
    opens: 'canvas/node-picker.tsx',
    path: ({ smallId }) => `/workflows/${smallId}`,
    prepare: click('Add a node'),
  },
  {
    name: 'connect by keys',
    opens: 'canvas/connect-dialog.tsx',
    path: ({ smallId }) => `/workflows/${smallId}`,
    prepare: onNode('c', 'dialog'),
  },
  {
    name: 'menu of a node',
    opens: 'canvas/graph-menu.tsx',
    path: ({ smallId }) => `/workflows/${smallId}`,
    prepare: onNode('Shift+F10', 'menu'),
  },
  {
    name: 'explain the graph',
    opens: 'canvas/explain-dialog.tsx',
    path: ({ smallId }) => `/workflows/${smallId}`,
    prepare: inMenu(/^More$/, 'Explain this graph'),
  },
  {
    name: 'call from a terminal',
    opens: 'shared/code-dialog.tsx',
    path: ({ smallId }) => `/workflows/${smallId}`,
    prepare: inMenu(/^More$/, 'Call from a terminal'),
  },
  {
    name: 'estimate of a graph',
    opens: 'canvas/estimate-details.tsx',
    path: ({ smallId }) => `/workflows/${smallId}`,
    prepare: click(/^Estimate/),
  },
  {
    name: 'run beside the graph',
    opens: 'canvas/run/run-panel.tsx',
    path: ({ smallId }) => `/workflows/${smallId}?panel=run`,
  },
  {
    name: 'results on the nodes',
    path: ({ workflowId, runId }) => `/workflows/${workflowId}?run=${runId}&panel=run`,
  },
  {
    name: 'a failure on its node',
    path: ({ smallId, failedRunId }) => `/workflows/${smallId}?run=${failedRunId}&node=send`,
  },
  {
    name: 'triggers beside the graph',
    opens: 'shared/triggers/triggers-panel.tsx',
    path: ({ smallId }) => `/workflows/${smallId}?panel=triggers`,
  },
  { name: 'groups and notes', path: ({ drawnId }) => `/workflows/${drawnId}` },
  {
    name: 'gallery to choose from',
    opens: 'shared/gallery-dialog.tsx',
    path: ({ pictureId }) => `/workflows/${pictureId}?panel=run`,
    prepare: click('Gallery'),
  },
]

const lists: readonly Screen[] = [
  {
    name: 'run a workflow',
    opens: 'shared/run-dialog.tsx',
    path: () => '/workflows',
    prepare: click(/^Run Post to the shop/),
  },
  {
    name: 'delete a workflow',
    opens: 'screens/workflows/delete-dialog.tsx',
    path: () => '/workflows',
    prepare: async (page) => {
      await click(/^Delete Post to the shop/)(page)
      await page.getByText('2 triggers will stop').waitFor()
    },
  },
  {
    name: 'tag workflows',
    opens: 'screens/workflows/tag-dialog.tsx',
    path: () => '/workflows',
    prepare: async (page) => {
      await page.getByLabel('Select Weekly letter').check()
      await click(/^Tag$/)(page)
    },
  },
  {
    name: 'delete workflows',
    opens: 'screens/workflows/bulk-delete-dialog.tsx',
    path: () => '/workflows',
    prepare: async (page) => {
      await page.getByLabel('Select Weekly letter').check()
      await click(/^Delete$/)(page)
    },
  },
  {
    name: 'change a trigger',
    opens: 'shared/triggers/trigger-dialog.tsx',
    path: () => '/workflows/triggers',
    prepare: inMenu(/^Actions for Every Monday/, 'Change'),
  },
  {
    name: 'change a webhook',
    path: () => '/workflows/triggers',
    prepare: inMenu(/^Actions for From the shop/, 'Change'),
  },
  {
    name: 'firings of a trigger',
    opens: 'shared/triggers/firings-panel.tsx',
    path: () => '/workflows/triggers',
    prepare: async (page) => {
      await page.getByRole('button', { name: /^Actions for Every Monday/ }).click()
      await page.getByRole('menuitem', { name: 'Firings' }).click()
      await page.getByRole('heading', { name: /^Firings of/ }).waitFor()
    },
  },
  {
    name: 'delete a trigger',
    opens: 'shared/triggers/delete-trigger-dialog.tsx',
    path: () => '/workflows/triggers',
    prepare: inMenu(/^Actions for Every Monday/, 'Delete'),
  },
  {
    name: 'find models',
    opens: 'screens/models/discover-dialog.tsx',
    path: () => '/models',
    prepare: click('Find models'),
  },
  {
    name: 'new route',
    opens: 'screens/routes/route-dialog.tsx',
    path: () => '/models/routes',
    prepare: click('New route'),
  },
  {
    name: 'delete a route',
    opens: 'screens/routes/routes-screen.tsx',
    path: () => '/models/routes',
    prepare: inMenu(/^Actions for 1-answers/, 'Delete'),
  },
  {
    name: 'delete tasks',
    opens: 'screens/tasks/delete-tasks-dialog.tsx',
    path: ({ taskId }) => `/tasks/${taskId}`,
    prepare: click('Delete'),
  },
]

const money: readonly Screen[] = [
  {
    name: 'new budget',
    opens: 'screens/budgets/budget-dialog.tsx',
    path: () => '/usage/budgets',
    prepare: click('New budget'),
  },
  {
    name: 'raise a budget',
    opens: 'screens/budgets/raise-dialog.tsx',
    path: () => '/usage/budgets',
    prepare: inMenu(/^Actions for Account/, 'Raise for a time'),
  },
  {
    name: 'remove a budget',
    opens: 'screens/budgets/budgets-screen.tsx',
    path: () => '/usage/budgets',
    prepare: inMenu(/^Actions for Account/, 'Remove'),
  },
  {
    name: 'run again',
    path: ({ runId }) => `/runs/${runId}`,
    prepare: click('Run again'),
  },
  {
    name: 'answer beside the graph',
    opens: 'canvas/run/answer-dialog.tsx',
    path: () => '/runs?status=ACTIVE',
    prepare: async (page) => {
      await page
        .getByRole('link', { name: /Weekly letter/ })
        .first()
        .click()
      await page.getByRole('link', { name: /^version/ }).click()
      await page.waitForURL(/workflows\//)
      await click('Answer')(page)
      await page.getByRole('button', { name: 'Approve' }).waitFor()
    },
  },
  {
    name: 'cancel a run',
    opens: 'canvas/run/cancel-dialog.tsx',
    path: () => '/runs?status=ACTIVE',
    prepare: async (page) => {
      await page
        .getByRole('link', { name: /Weekly letter/ })
        .first()
        .click()
      await click('Cancel')(page)
    },
  },
]

const media: readonly Screen[] = [
  {
    name: 'paint a mask',
    opens: 'screens/playground/mask-dialog.tsx',
    path: () => '/playground/image?prompt=A%20lighthouse',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Make the image' }).click()
      await page.getByRole('button', { name: 'Use as input' }).click()
      await click('Paint a mask')(page)
      await page
        .getByRole('button', { name: 'Whole picture' })
        .and(page.locator(':enabled'))
        .click()
    },
  },
]

const chat: readonly Screen[] = [
  {
    name: 'a conversation',
    path: () => '/playground/chat',
    prepare: (page) => asked(page),
  },
  {
    name: 'rename a conversation',
    opens: 'screens/playground/chat/rename-dialog.tsx',
    path: () => '/playground/chat',
    prepare: async (page) => {
      await asked(page)
      await inMenu(/^Actions for/, 'Rename')(page)
    },
  },
  {
    name: 'delete a conversation',
    opens: 'screens/playground/chat/conversation-list.tsx',
    path: () => '/playground/chat',
    prepare: async (page) => {
      await asked(page)
      await inMenu(/^Actions for/, 'Delete')(page)
    },
  },
]

async function asked(page: ConsolePage) {
  await page.getByRole('textbox', { name: /message/i }).fill('What is 12% of 250?')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Answer again' }).first().waitFor()
}

const account: readonly Screen[] = [
  {
    name: 'revoke a key',
    opens: 'screens/keys/revoke-key-dialog.tsx',
    path: () => '/developer/keys',
    prepare: inMenu(/^Actions for owner\.key/, 'Revoke'),
  },
  {
    name: 'a key shown once',
    opens: 'screens/keys/shown-key-dialog.tsx',
    path: () => '/developer/keys?new=true',
    prepare: async (page) => {
      await page.getByRole('textbox', { name: 'Name' }).fill('Terminal')
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('dialog', { name: /is ready/ }).waitFor()
    },
  },
  {
    name: 'replace a credential',
    opens: 'screens/credentials/credential-dialog.tsx',
    path: () => '/developer/credentials',
    prepare: inMenu(/^Actions for shop/, 'Replace'),
  },
  {
    name: 'delete a credential',
    opens: 'screens/credentials/delete-credential-dialog.tsx',
    path: () => '/developer/credentials',
    prepare: inMenu(/^Actions for shop/, 'Delete'),
  },
  {
    name: 'rotate the secret',
    opens: 'screens/webhooks/secret-card.tsx',
    path: () => '/developer/webhooks',
    prepare: click(/^Rotate/),
  },
  {
    name: 'two-step sign-in',
    opens: 'screens/account/start-two-step-dialog.tsx',
    path: () => '/settings/account',
    prepare: click('Turn on'),
  },
  {
    name: 'an invitation shown once',
    opens: 'screens/members/shown-link-dialog.tsx',
    path: () => '/settings/members',
    prepare: async (page) => {
      await click(/^Invite/)(page)
      await page.getByLabel('E-mail').fill(`cleo${Date.now()}@example.com`)
      await page.getByRole('dialog').getByRole('button', { name: /link/i }).click()
      await page.getByRole('dialog').locator('pre').waitFor()
    },
  },
]

export const dialogs: readonly Screen[] = [
  ...canvas,
  ...lists,
  ...money,
  ...media,
  ...chat,
  ...account,
]

/** Journeys open these in the state they need, and check them there with axe. */
export const inJourneys: Readonly<Record<string, string>> = {
  'canvas/conflict-panel.tsx': 'long/canvas-keeping',
  'frame/sign-in-over.tsx': 'frame',
  'screens/account/recovery-codes-dialog.tsx': 'long/team',
  'screens/account/two-step-dialog.tsx': 'long/team',
  'screens/connect/disconnect-dialog.tsx': 'sign-in',
  'screens/members/member-dialogs.tsx': 'long/team',
  'screens/playground/chat/chat-workbench.tsx': 'long/chat',
  'screens/playground/chat/settings-button.tsx': 'long/chat',
  'screens/usage/bucket-calls.tsx': 'long/usage',
  'screens/webhooks/delivery-panel.tsx': 'long/developer',
  'shared/settle-dialog.tsx': 'long/usage',
  'shared/triggers/shown-url-dialog.tsx': 'long/triggers',
}
