import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ReactNode, type RefObject, useRef } from 'react'
import { cx } from '#console/lib/cx.ts'
import { popupClass } from './popup-class.ts'

type DialogProps = {
  open: boolean
  onClose(): void
  title: string
  description?: ReactNode
  children?: ReactNode
  /** Buttons, the main one last. */
  footer?: ReactNode
  size?: 'small' | 'medium' | 'large'
  /** False if a stray click or Escape would lose something: then only a button closes it. */
  dismissible?: boolean
  /** By default the first field, or else the dialog itself, so that Close is not focused first. */
  initialFocus?: RefObject<HTMLElement | null>
  /** Nothing in it takes the focus, so the text does: keys must be able to scroll it. */
  isText?: boolean
  /** What gets the focus when it is closed; by default what had it before. */
  finalFocus?(): HTMLElement | null
}

const field = 'input, textarea, [role="combobox"], select'

const widths = { small: 'max-w-form', medium: 'max-w-read', large: 'max-w-[96rem]' }

export function Dialog(props: DialogProps) {
  const { open, onClose, title, description, children, footer, size = 'small' } = props
  const { dismissible = true, isText = false } = props
  const popup = useRef<HTMLDivElement>(null)
  const firstField = () => popup.current?.querySelector<HTMLElement>(field) ?? popup.current
  return (
    <Base.Root
      open={open}
      disablePointerDismissal={!dismissible}
      onOpenChange={(isOpen, details) => {
        if (isOpen) return
        if (!dismissible && details.reason === 'escape-key') return details.cancel()
        onClose()
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-veil transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Viewport className="fixed inset-0 z-40 flex items-end justify-center p-3 sm:items-center sm:p-6">
          <Base.Popup
            ref={popup}
            initialFocus={props.initialFocus ?? firstField}
            {...(props.finalFocus ? { finalFocus: props.finalFocus } : {})}
            className={cx(
              popupClass,
              'flex max-h-full w-full min-w-0 flex-col overflow-hidden',
              widths[size],
            )}
          >
            <div className="flex items-start justify-between gap-4 px-6 pt-5 pb-3">
              <div className="min-w-0">
                <Base.Title className="font-semibold text-lg">{title}</Base.Title>
                {description && (
                  <Base.Description className="mt-1 text-soft text-sm">
                    {description}
                  </Base.Description>
                )}
              </div>
              {dismissible && (
                <Base.Close
                  aria-label="Close"
                  className="-mt-1 -mr-2 flex size-8 shrink-0 items-center justify-center rounded-sm text-soft hover:bg-sunken hover:text-ink pointer-coarse:size-11"
                >
                  <X size={16} aria-hidden />
                </Base.Close>
              )}
            </div>
            <div
              {...(isText ? { tabIndex: 0 } : {})}
              className="min-h-0 grow overflow-y-auto px-6 pb-5"
            >
              {children}
            </div>
            {footer && (
              <div className="flex flex-wrap justify-end gap-2 border-line border-t bg-paper px-6 py-3">
                {footer}
              </div>
            )}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}
