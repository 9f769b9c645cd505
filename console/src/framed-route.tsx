import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router'
import { loadSession } from './api/session.ts'
import { Frame } from './frame/frame.tsx'
import { NotFoundScreen } from './frame/not-found-screen.tsx'

export const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFoundScreen,
})

/** Everything behind sign-in is shown in the frame. */
export const framed = createRoute({
  getParentRoute: () => rootRoute,
  id: 'framed',
  component: Frame,
  beforeLoad: async ({ location }) => {
    const { session } = await loadSession()
    if (!session) throw redirect({ to: '/sign-in', search: { to: location.href } })
  },
})
