import { Combobox as Base } from '@base-ui/react/combobox'
import { Check, ChevronsUpDown } from 'lucide-react'
import { cx } from '#console/lib/cx.ts'
import { controlClass } from './control-class.ts'
import type { ControlProps } from './field.tsx'
import type { Option } from './option.ts'
import { itemClass, popupClass } from './popup-class.ts'

type ComboboxProps<T extends string> = Partial<ControlProps> & {
  options: readonly Option<T>[]
  value: T | null
  onChange(value: NoInfer<T>): void
  placeholder?: string
  /** Shown when nothing matches the typed text. */
  noMatch?: string
  disabled?: boolean
  'aria-label'?: string
}

/** Chooses one of many options by typing. */
export function Combobox<T extends string>(props: ComboboxProps<T>) {
  const { options, value, onChange, placeholder, noMatch, disabled, ...control } = props
  const chosen = options.find((option) => option.value === value) ?? null
  return (
    <Base.Root
      items={options}
      value={chosen}
      onValueChange={(next: Option<T> | null) => next && onChange(next.value)}
      itemToStringLabel={(option: Option<T>) => option.label}
      isItemEqualToValue={(a: Option<T>, b: Option<T>) => a.value === b.value}
      disabled={disabled}
    >
      <div className="relative">
        <Base.Input
          {...control}
          placeholder={placeholder}
          className={cx(controlClass, 'min-h-9 pr-9')}
        />
        <Base.Trigger
          aria-label="Show the choices"
          className="absolute inset-y-0 right-0 flex w-9 items-center justify-center text-soft"
        >
          <ChevronsUpDown size={14} aria-hidden />
        </Base.Trigger>
      </div>
      <Base.Portal>
        <Base.Positioner className="z-50" sideOffset={4}>
          <Base.Popup className={cx(popupClass, 'w-(--anchor-width) min-w-56 overflow-hidden')}>
            <Base.Empty>
              <p className="px-3 py-2 text-soft text-sm">{noMatch ?? 'Nothing matches.'}</p>
            </Base.Empty>
            <Base.List
              aria-label={control['aria-label'] ?? 'Choices'}
              className="max-h-[min(20rem,var(--available-height))] overflow-y-auto p-1 empty:p-0"
            >
              {(option: Option<T>) => (
                <Base.Item
                  key={option.value}
                  value={option}
                  disabled={option.disabled ?? false}
                  className={itemClass}
                >
                  <span className="flex w-4 shrink-0">
                    <Base.ItemIndicator>
                      <Check size={14} aria-hidden />
                    </Base.ItemIndicator>
                  </span>
                  <span className="min-w-0 grow truncate">{option.label}</span>
                  {option.note && <span className="shrink-0 text-soft text-xs">{option.note}</span>}
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
