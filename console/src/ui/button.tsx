import { LoaderCircle } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { cx } from '#console/lib/cx.ts'
import { type ButtonSize, type ButtonVariant, buttonClass } from './button-class.ts'

type ButtonProps = ComponentProps<'button'> & {
  variant?: ButtonVariant
  size?: ButtonSize
  /** A 16 px icon before the label. */
  icon?: ReactNode
  /** Work is in progress: the button ignores further clicks. */
  busy?: boolean
}

export function Button({
  variant,
  size,
  icon,
  busy = false,
  className,
  children,
  disabled,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type}
      disabled={disabled}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      {...rest}
      onClick={busy ? (event) => event.preventDefault() : rest.onClick}
      className={cx(buttonClass(variant, size), className)}
    >
      {busy ? <LoaderCircle size={16} className="animate-spin" aria-hidden /> : icon}
      {children}
    </button>
  )
}
