// What needs no session: signing in, and the targets of links that somebody passed on.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from './framed-route.tsx'
import { signInSearch } from './screens/sign-in/address.ts'

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: signInSearch,
  component: lazyRouteComponent(
    () => import('./screens/sign-in/sign-in-screen.tsx'),
    'SignInScreen',
  ),
})

/** Targets of links that an owner passed on; no sign-in is needed. */
export const joinRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/join',
  component: lazyRouteComponent(() => import('./screens/join/join-screen.tsx'), 'JoinScreen'),
})
export const recoverRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/recover',
  component: lazyRouteComponent(() => import('./screens/join/recover-screen.tsx'), 'RecoverScreen'),
})
