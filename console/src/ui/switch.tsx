import type { ComponentProps, ReactNode } from 'react'

type SwitchProps = Omit<ComponentProps<'input'>, 'type' | 'role' | 'checked'> & {
  label: ReactNode
  checked: boolean
}

/** Takes effect at once; if a button confirms it, use a Checkbox instead. */
export function Switch({ label, checked, ...rest }: SwitchProps) {
  return (
    <label className="inline-flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
      <input
        type="checkbox"
        role="switch"
        checked={checked}
        aria-checked={checked}
        {...rest}
        className="relative h-4.5 w-8 shrink-0 appearance-none rounded-full border border-control bg-sunken transition-colors before:absolute before:top-0.5 before:left-0.5 before:size-3 before:rounded-full before:bg-control before:transition-transform checked:border-accent checked:bg-accent checked:before:translate-x-3.5 checked:before:bg-on-accent disabled:opacity-50"
      />
      <span>{label}</span>
    </label>
  )
}
