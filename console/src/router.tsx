// Every address of the console. A screen is loaded when it is first opened; its address file
// (search parameters) is small and loaded with this file.
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { joinRoute, recoverRoute, signInRoute } from './entrance-routes.tsx'
import { ErrorScreen } from './frame/error-screen.tsx'
import { NotFoundScreen } from './frame/not-found-screen.tsx'
import { framed, rootRoute } from './framed-route.tsx'
import { auditSearch } from './screens/audit/address.ts'
import { connectSearch } from './screens/connect/address.ts'
import { credentialsSearch } from './screens/credentials/address.ts'
import { inboxSearch } from './screens/inbox/address.ts'
import { keysSearch } from './screens/keys/address.ts'
import { membersSearch } from './screens/members/address.ts'
import { modelsSearch } from './screens/models/address.ts'
import { playgroundSearch } from './screens/playground/address.ts'
import { routesSearch } from './screens/routes/address.ts'
import { runSearch, runsSearch } from './screens/runs/address.ts'
import { tasksSearch } from './screens/tasks/address.ts'
import { usageSearch } from './screens/usage/address.ts'
import { webhooksSearch } from './screens/webhooks/address.ts'
import {
  canvasRoute,
  compareRoute,
  newWorkflowRoute,
  triggersRoute,
  workflowsRoute,
} from './workflow-routes.tsx'

const parent = () => framed

const welcomeRoute = createRoute({
  getParentRoute: parent,
  path: '/welcome',
  component: lazyRouteComponent(
    () => import('./screens/overview/overview-screen.tsx'),
    'WelcomeScreen',
  ),
})
const overviewRoute = createRoute({
  getParentRoute: parent,
  path: '/',
  component: lazyRouteComponent(
    () => import('./screens/overview/overview-screen.tsx'),
    'OverviewScreen',
  ),
})
const chatRoute = createRoute({
  getParentRoute: parent,
  path: '/playground/chat',
  validateSearch: playgroundSearch,
  component: lazyRouteComponent(
    () => import('./screens/playground/chat/chat-screen.tsx'),
    'ChatScreen',
  ),
})
const imageRoute = createRoute({
  getParentRoute: parent,
  path: '/playground/image',
  validateSearch: playgroundSearch,
  component: lazyRouteComponent(
    () => import('./screens/playground/creative-screen.tsx'),
    'ImageScreen',
  ),
})
const videoRoute = createRoute({
  getParentRoute: parent,
  path: '/playground/video',
  validateSearch: playgroundSearch,
  component: lazyRouteComponent(
    () => import('./screens/playground/creative-screen.tsx'),
    'VideoScreen',
  ),
})
const playgroundRoute = createRoute({
  getParentRoute: parent,
  path: '/playground',
  beforeLoad: () => {
    throw redirect({ to: '/playground/chat', replace: true })
  },
})
const modelsRoute = createRoute({
  getParentRoute: parent,
  path: '/models',
  validateSearch: modelsSearch,
  component: lazyRouteComponent(() => import('./screens/models/models-screen.tsx'), 'ModelsScreen'),
})
const routesRoute = createRoute({
  getParentRoute: parent,
  path: '/models/routes',
  validateSearch: routesSearch,
  component: lazyRouteComponent(() => import('./screens/routes/routes-screen.tsx'), 'RoutesScreen'),
})
const inboxRoute = createRoute({
  getParentRoute: parent,
  path: '/inbox',
  validateSearch: inboxSearch,
  component: lazyRouteComponent(() => import('./screens/inbox/inbox-screen.tsx'), 'InboxScreen'),
})
const tasksRoute = createRoute({
  getParentRoute: parent,
  path: '/tasks',
  validateSearch: tasksSearch,
  component: lazyRouteComponent(() => import('./screens/tasks/tasks-screen.tsx'), 'TasksScreen'),
})
const taskRoute = createRoute({
  getParentRoute: parent,
  path: '/tasks/$taskId',
  component: lazyRouteComponent(() => import('./screens/tasks/task-screen.tsx'), 'TaskScreen'),
})
const runsRoute = createRoute({
  getParentRoute: parent,
  path: '/runs',
  validateSearch: runsSearch,
  component: lazyRouteComponent(() => import('./screens/runs/runs-screen.tsx'), 'RunsScreen'),
})
const liveRoute = createRoute({
  getParentRoute: parent,
  path: '/runs/live',
  component: lazyRouteComponent(() => import('./screens/live/live-screen.tsx'), 'LiveScreen'),
})
const runRoute = createRoute({
  getParentRoute: parent,
  path: '/runs/$runId',
  validateSearch: runSearch,
  component: lazyRouteComponent(() => import('./screens/runs/run-screen.tsx'), 'RunScreen'),
})
const usageRoute = createRoute({
  getParentRoute: parent,
  path: '/usage',
  validateSearch: usageSearch,
  component: lazyRouteComponent(() => import('./screens/usage/usage-screen.tsx'), 'UsageScreen'),
})
const budgetsRoute = createRoute({
  getParentRoute: parent,
  path: '/usage/budgets',
  component: lazyRouteComponent(
    () => import('./screens/budgets/budgets-screen.tsx'),
    'BudgetsScreen',
  ),
})
const keysRoute = createRoute({
  getParentRoute: parent,
  path: '/developer/keys',
  validateSearch: keysSearch,
  component: lazyRouteComponent(() => import('./screens/keys/keys-screen.tsx'), 'KeysScreen'),
})
const credentialsRoute = createRoute({
  getParentRoute: parent,
  path: '/developer/credentials',
  validateSearch: credentialsSearch,
  component: lazyRouteComponent(
    () => import('./screens/credentials/credentials-screen.tsx'),
    'CredentialsScreen',
  ),
})
const auditRoute = createRoute({
  getParentRoute: parent,
  path: '/developer/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./screens/audit/audit-screen.tsx'), 'AuditScreen'),
})
const webhooksRoute = createRoute({
  getParentRoute: parent,
  path: '/developer/webhooks',
  validateSearch: webhooksSearch,
  component: lazyRouteComponent(
    () => import('./screens/webhooks/webhooks-screen.tsx'),
    'WebhooksScreen',
  ),
})
const connectRoute = createRoute({
  getParentRoute: parent,
  path: '/developer/connect',
  validateSearch: connectSearch,
  component: lazyRouteComponent(
    () => import('./screens/connect/connect-screen.tsx'),
    'ConnectScreen',
  ),
})
const developerRoute = createRoute({
  getParentRoute: parent,
  path: '/developer',
  beforeLoad: () => {
    throw redirect({ to: '/developer/keys', replace: true })
  },
})
const accountRoute = createRoute({
  getParentRoute: parent,
  path: '/settings/account',
  component: lazyRouteComponent(
    () => import('./screens/account/account-screen.tsx'),
    'AccountScreen',
  ),
})
const membersRoute = createRoute({
  getParentRoute: parent,
  path: '/settings/members',
  validateSearch: membersSearch,
  component: lazyRouteComponent(
    () => import('./screens/members/members-screen.tsx'),
    'MembersScreen',
  ),
})
const settingsRoute = createRoute({
  getParentRoute: parent,
  path: '/settings',
  beforeLoad: () => {
    throw redirect({ to: '/settings/account', replace: true })
  },
})
/** Every component in every state, for designers and tests. No link leads here. */
const kitRoute = createRoute({
  getParentRoute: parent,
  path: '/kit',
  component: lazyRouteComponent(() => import('./screens/kit/kit-screen.tsx'), 'KitScreen'),
})

const missingRoute = createRoute({
  getParentRoute: parent,
  path: '$',
  component: NotFoundScreen,
})

const routeTree = rootRoute.addChildren([
  signInRoute,
  joinRoute,
  recoverRoute,
  framed.addChildren([
    overviewRoute,
    welcomeRoute,
    playgroundRoute,
    chatRoute,
    imageRoute,
    videoRoute,
    inboxRoute,
    modelsRoute,
    routesRoute,
    tasksRoute,
    taskRoute,
    workflowsRoute,
    triggersRoute,
    newWorkflowRoute,
    canvasRoute,
    compareRoute,
    runsRoute,
    liveRoute,
    runRoute,
    usageRoute,
    budgetsRoute,
    developerRoute,
    keysRoute,
    credentialsRoute,
    auditRoute,
    webhooksRoute,
    connectRoute,
    settingsRoute,
    accountRoute,
    membersRoute,
    kitRoute,
    missingRoute,
  ]),
])

export const router = createRouter({
  routeTree,
  basepath: '/console',
  defaultPreload: 'intent',
  defaultErrorComponent: ErrorScreen,
  defaultNotFoundComponent: NotFoundScreen,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
