import { RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Banner } from './banner.tsx'
import { Button } from './button.tsx'
import { Copy } from './copy.tsx'

/** The facts of a failure; `ApiFailure` fits. */
export type FailureFacts = {
  message: string
  code?: string
  requestId?: string | null
  retryable?: boolean
  status?: number
}

type FailureProps = {
  failure: FailureFacts
  /** Offered only if trying again may help. */
  onRetry?: (() => void) | undefined
  title?: string
  /** What to do about it, if we know. */
  children?: ReactNode
}

export function Failure({ failure, onRetry, title, children }: FailureProps) {
  const mayRetry = onRetry && (failure.retryable || failure.status === 0)
  return (
    <Banner
      tone="bad"
      role="alert"
      title={title ?? failure.message}
      actions={
        mayRetry && (
          <Button size="small" icon={<RotateCw size={14} aria-hidden />} onClick={onRetry}>
            Retry
          </Button>
        )
      }
    >
      {title && <p>{failure.message}</p>}
      {children}
      {(failure.code || failure.requestId) && (
        <p className="mt-1 flex flex-wrap items-center gap-x-3 text-soft text-xs">
          {failure.code && <code>{failure.code}</code>}
          {failure.requestId && (
            <span className="inline-flex items-center gap-1">
              request <code>{failure.requestId}</code>
              <Copy text={failure.requestId} label="Copy the request id" />
            </span>
          )}
        </p>
      )}
    </Banner>
  )
}
