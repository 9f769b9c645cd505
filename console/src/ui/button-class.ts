import { cx } from '#console/lib/cx.ts'

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger'
export type ButtonSize = 'small' | 'medium'

const variants: Record<ButtonVariant, string> = {
  primary: 'border-transparent bg-accent text-on-accent hover:not-disabled:bg-accent/90',
  secondary:
    'border-control/60 bg-card text-ink hover:not-disabled:border-control hover:not-disabled:bg-sunken',
  quiet: 'border-transparent bg-transparent text-ink hover:not-disabled:bg-sunken',
  danger:
    'border-bad/50 bg-card text-bad hover:not-disabled:border-bad hover:not-disabled:bg-bad/8',
}

/** Also for links that look like buttons: `<Link className={buttonClass('primary')}>`. */
export const buttonClass = (
  variant: ButtonVariant = 'secondary',
  size: ButtonSize = 'medium',
): string =>
  cx(
    'inline-flex shrink-0 select-none items-center justify-center gap-2 rounded-sm border font-semibold whitespace-nowrap no-underline transition-colors disabled:cursor-not-allowed disabled:opacity-50 pointer-coarse:min-h-11',
    size === 'small' ? 'min-h-8 px-3 text-sm' : 'min-h-9 px-4 text-base',
    variants[variant],
  )
