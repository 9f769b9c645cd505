// The console: everything the API offers, in a browser. It talks only to the server it came from.
import { CSPProvider } from '@base-ui/react/csp-provider'
import { Tooltip } from '@base-ui/react/tooltip'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './styles/app.css'
import { queryClient } from './api/query-client.ts'
import { watchConnection } from './api/watch-connection.ts'
import { listenForShortcuts } from './lib/shortcuts.ts'
import { refuseStrayDrops } from './lib/stray-drops.ts'
import { router } from './router.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('the page has no #root')
listenForShortcuts(window)
refuseStrayDrops(window)
watchConnection()
createRoot(root).render(
  <StrictMode>
    {/* The policy allows no style elements; our own style sheet contains what they would. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <Tooltip.Provider delay={400}>
          <RouterProvider router={router} />
        </Tooltip.Provider>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
