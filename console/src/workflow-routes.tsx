// The addresses of workflows: their list, their triggers, and the canvas.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { framed } from './framed-route.tsx'
import { canvasSearch, compareSearch } from './screens/canvas/address.ts'
import { triggersSearch } from './screens/triggers/address.ts'
import { workflowsSearch } from './screens/workflows/address.ts'

const parent = () => framed

export const workflowsRoute = createRoute({
  getParentRoute: parent,
  path: '/workflows',
  validateSearch: workflowsSearch,
  component: lazyRouteComponent(
    () => import('./screens/workflows/workflows-screen.tsx'),
    'WorkflowsScreen',
  ),
})
export const newWorkflowRoute = createRoute({
  getParentRoute: parent,
  path: '/workflows/new',
  component: lazyRouteComponent(
    () => import('./screens/workflows/new-workflow-screen.tsx'),
    'NewWorkflowScreen',
  ),
})
export const triggersRoute = createRoute({
  getParentRoute: parent,
  path: '/workflows/triggers',
  validateSearch: triggersSearch,
  component: lazyRouteComponent(
    () => import('./screens/triggers/triggers-screen.tsx'),
    'TriggersScreen',
  ),
})
export const canvasRoute = createRoute({
  getParentRoute: parent,
  path: '/workflows/$workflowId',
  validateSearch: canvasSearch,
  component: lazyRouteComponent(() => import('./screens/canvas/canvas-screen.tsx'), 'CanvasScreen'),
})
export const compareRoute = createRoute({
  getParentRoute: parent,
  path: '/workflows/$workflowId/compare',
  validateSearch: compareSearch,
  component: lazyRouteComponent(
    () => import('./screens/canvas/compare-screen.tsx'),
    'CompareScreen',
  ),
})
