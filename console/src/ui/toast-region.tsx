import { Toast } from '@base-ui/react/toast'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useEffect } from 'react'
import { cx } from '#console/lib/cx.ts'
import { popupClass } from './popup-class.ts'
import { type ToastText, useWaitingToasts } from './toasts.ts'

/** Where toasts appear; rendered once, by the frame. */
export function ToastRegion() {
  return (
    <Toast.Provider timeout={5000}>
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-20 z-70 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2 md:bottom-4">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function ToastList() {
  const { toasts, add } = Toast.useToastManager<NonNullable<ToastText['data']>>()
  const waiting = useWaitingToasts((state) => state.items)
  useEffect(() => {
    if (waiting.length === 0) return
    useWaitingToasts.setState({ items: [] })
    for (const item of waiting) add(item)
  }, [waiting, add])
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={cx(popupClass, 'p-3')}>
      <Toast.Content className="flex items-start gap-2">
        <div className="min-w-0 grow">
          <Toast.Title className="font-semibold text-sm" />
          <Toast.Description className="text-soft text-sm" />
          {toast.data && (
            <Link
              to="/runs/$runId"
              params={{ runId: toast.data.runId }}
              className="text-accent text-sm underline"
            >
              Show the run
            </Link>
          )}
        </div>
        {/* The library hides it from screen readers until the toasts are expanded, but keeps it
            in the tab order. */}
        <Toast.Close
          aria-label="Dismiss"
          aria-hidden={false}
          className="flex size-6 shrink-0 items-center justify-center rounded-sm text-soft hover:bg-sunken"
        >
          <X size={14} aria-hidden />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}
