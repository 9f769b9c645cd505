import { X } from 'lucide-react'
import { Banner } from '#console/ui/banner.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { useSessionOf, useView } from './context.ts'

/** Why the last attempt failed, until it is dismissed or something succeeds. */
export function Notice() {
  const { view } = useSessionOf()
  const notice = useView((state) => state.notice)
  if (notice === null) return null
  return (
    <div className="border-line border-b px-3 py-2">
      <Banner
        tone="warn"
        role="alert"
        title={notice}
        actions={
          <IconButton
            label="Dismiss"
            icon={<X size={14} aria-hidden />}
            onClick={() => view.setState({ notice: null })}
          />
        }
      />
    </div>
  )
}
