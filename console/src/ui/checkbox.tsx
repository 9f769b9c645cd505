import { type ComponentProps, type ReactNode, useId } from 'react'
import { cx } from '#console/lib/cx.ts'

type CheckboxProps = Omit<ComponentProps<'input'>, 'type'> & { label: ReactNode; hint?: ReactNode }

export function Checkbox({ label, hint, className, ...rest }: CheckboxProps) {
  const id = useId()
  return (
    <label className={cx('flex min-h-8 items-start gap-2 py-1 pointer-coarse:min-h-11', className)}>
      <input
        type="checkbox"
        aria-describedby={hint ? id : undefined}
        {...rest}
        className="mt-0.75 size-4 shrink-0 accent-accent"
      />
      <span className="min-w-0">
        {label}
        {hint && (
          <span id={id} className="block text-soft text-xs">
            {hint}
          </span>
        )}
      </span>
    </label>
  )
}
