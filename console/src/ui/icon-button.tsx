import type { ComponentProps, ReactNode } from 'react'
import { cx } from '#console/lib/cx.ts'
import { Tooltip } from './tooltip.tsx'

type IconButtonProps = Omit<ComponentProps<'button'>, 'aria-label' | 'children'> & {
  /** What the button does; read out, and shown as a tooltip. */
  label: string
  icon: ReactNode
  shortcut?: string
}

export function IconButton({ label, icon, shortcut, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} shortcut={shortcut}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        className={cx(
          'inline-flex size-8 shrink-0 items-center justify-center rounded-sm text-soft transition-colors hover:not-disabled:bg-sunken hover:not-disabled:text-ink disabled:opacity-50 aria-pressed:bg-sunken aria-pressed:text-ink pointer-coarse:size-11',
          className,
        )}
      >
        {icon}
      </button>
    </Tooltip>
  )
}
