import { Select as Base } from '@base-ui/react/select'
import { Check, ChevronsUpDown } from 'lucide-react'
import { cx } from '#console/lib/cx.ts'
import { controlClass } from './control-class.ts'
import type { ControlProps } from './field.tsx'
import type { Option } from './option.ts'
import { itemClass, popupClass } from './popup-class.ts'

type SelectProps<T extends string> = Partial<ControlProps> & {
  options: readonly Option<T>[]
  value: T | null
  onChange(value: NoInfer<T>): void
  placeholder?: string
  disabled?: boolean
  /** For use without a visible label, as in a row of filters. */
  'aria-label'?: string
  className?: string
}

/** Chooses one of a few. For many, or for finding by typing, use a Combobox. */
export function Select<T extends string>(props: SelectProps<T>) {
  const {
    options,
    value,
    onChange,
    placeholder = 'Choose',
    disabled,
    className,
    ...control
  } = props
  return (
    <Base.Root
      items={options.map(({ value, label }) => ({ value, label }))}
      value={value}
      onValueChange={(next) => next !== null && onChange(next as T)}
      disabled={disabled}
    >
      <Base.Trigger
        {...control}
        className={cx(
          controlClass,
          'flex min-h-9 items-center justify-between gap-2 text-left',
          className,
        )}
      >
        <span className="truncate">
          <Base.Value placeholder={placeholder} />
        </span>
        <Base.Icon className="text-soft">
          <ChevronsUpDown size={14} aria-hidden />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="z-50" sideOffset={4} alignItemWithTrigger={false}>
          <Base.Popup
            aria-label={control['aria-label'] ?? 'Choices'}
            className={cx(
              popupClass,
              'max-h-(--available-height) min-w-(--anchor-width) overflow-y-auto p-1',
            )}
          >
            {options.map((option) => (
              <Base.Item
                key={option.value}
                value={option.value}
                disabled={option.disabled ?? false}
                className={itemClass}
              >
                <span className="flex w-4 shrink-0">
                  <Base.ItemIndicator>
                    <Check size={14} aria-hidden />
                  </Base.ItemIndicator>
                </span>
                <Base.ItemText className="grow">{option.label}</Base.ItemText>
                {option.note && <span className="text-soft text-xs">{option.note}</span>}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
