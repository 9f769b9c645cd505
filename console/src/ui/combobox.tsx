import { Combobox as Base } from '@base-ui/react/combobox'
import { Check, ChevronsUpDown } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { cx } from '#console/lib/cx.ts'
import { controlClass } from './control-class.ts'
import type { ControlProps } from './field.tsx'
import { findOptions } from './find-options.ts'
import { keepReadable } from './keep-readable.ts'
import type { Option } from './option.ts'
import { itemClass, popupClass } from './popup-class.ts'

type ComboboxProps<T extends string> = Partial<ControlProps> & {
  options: readonly Option<T>[]
  value: T | null
  onChange(value: NoInfer<T>): void
  placeholder?: string
  /** Shown when nothing matches the typed text. */
  noMatch?: string
  /** What is typed to find an option; empty when one is chosen. */
  onType?(text: string): void
  /** A last row that only says something. */
  more?: { label: string } | undefined
  /** For options with a second line: as wide as the field, and at least 384 px. */
  size?: 'field' | 'wide'
  disabled?: boolean
  'aria-label'?: string
}

/** Chooses one of many options by typing. */
export function Combobox<T extends string>(props: ComboboxProps<T>) {
  const {
    options,
    value,
    onChange,
    placeholder,
    noMatch,
    more,
    size,
    disabled,
    onType,
    ...control
  } = props
  const [isOpen, setOpen] = useOpen()
  /** Whether a person marked the row, or it is marked because it comes first. */
  const isMarkedByHand = useRef(false)
  const rows = new Map<string, Option>(options.map((option) => [option.value, option]))
  if (more) rows.set(moreValue, { value: moreValue, label: more.label, disabled: true })
  const { typed, takeTyped } = useTyped(props)
  return (
    <Base.Root
      items={useGroups([...rows.values()])}
      // Enter chooses the first match.
      autoHighlight
      onItemHighlighted={(_, { reason }) => {
        isMarkedByHand.current = reason !== 'none'
      }}
      open={isOpen}
      onOpenChange={(next, { reason }) => {
        if (reason === 'escape-key') typed.current = ''
        setOpen(next)
      }}
      value={value as string | null}
      onValueChange={(next: string | null) => {
        typed.current = ''
        if (next !== null) onChange(next as T)
      }}
      filter={(row: string, query) => {
        const option = rows.get(row)
        return (
          row === moreValue || (option !== undefined && findOptions([option], query).length > 0)
        )
      }}
      onInputValueChange={(text, { reason }) => {
        if (reason === 'input-change') typed.current = text
        onType?.(reason === 'input-change' ? text : '')
      }}
      itemToStringLabel={(row: string) => rows.get(row)?.label ?? row}
      disabled={disabled}
    >
      <TypingField
        {...{ control, placeholder, isOpen }}
        hasTyped={() => typed.current !== ''}
        onLeave={takeTyped}
        onEnter={() => {
          if (isMarkedByHand.current || !takeTyped()) return 'as marked'
          setOpen(false)
          return 'as typed'
        }}
      />
      <Choices
        label={control['aria-label'] ?? 'Choices'}
        noMatch={noMatch ?? 'Nothing matches.'}
        {...{ rows, size }}
      />
    </Base.Root>
  )
}

type TypingFieldProps = {
  control: Partial<ControlProps>
  placeholder: string | undefined
  isOpen: boolean
  hasTyped(): boolean
  onLeave(): void
  onEnter(): 'as marked' | 'as typed'
}

const TypingField = ({ control, placeholder, isOpen, hasTyped, ...on }: TypingFieldProps) => (
  <div className="relative">
    <Base.Input
      {...control}
      placeholder={placeholder}
      onBlur={on.onLeave}
      // What is typed first replaces the choice that is shown.
      onFocus={({ currentTarget }) => currentTarget.select()}
      onClick={({ currentTarget }) => {
        if (!hasTyped()) currentTarget.select()
      }}
      onKeyDown={(event) => {
        // Without a list, Escape belongs to the dialog around; Base UI would clear the field.
        if (event.key === 'Escape' && !isOpen) event.preventBaseUIHandler()
        if (event.key !== 'Enter') return
        // With a list, Enter chooses: it never sends the form around.
        if (isOpen) event.preventDefault()
        if (on.onEnter() === 'as typed') event.preventBaseUIHandler()
      }}
      className={cx(controlClass, 'min-h-9 truncate pr-9')}
    />
    <Base.Trigger
      aria-label="Show the choices"
      className="absolute inset-y-0 right-0 flex w-9 items-center justify-center text-soft"
    >
      <ChevronsUpDown size={14} aria-hidden />
    </Base.Trigger>
  </div>
)

/** While the list is open, what is behind it stays readable. */
function useOpen() {
  const [isOpen, setIsOpen] = useState(false)
  const stop = useRef<(() => void) | null>(null)
  useEffect(() => () => stop.current?.(), [])
  const setOpen = (next: boolean) => {
    stop.current?.()
    // Before the list is drawn, so that nothing is hidden yet.
    stop.current = next ? keepReadable() : null
    setIsOpen(next)
  }
  return [isOpen, setOpen] as const
}

/** What is typed in full is chosen, also by those who leave the field without a look at the list. */
function useTyped<T extends string>({ options, value, onChange }: ComboboxProps<T>) {
  const typed = useRef('')
  const takeTyped = () => {
    const text = typed.current.trim().toLowerCase()
    typed.current = ''
    const named = (name: string) => text !== '' && name.toLowerCase() === text
    const found = options.filter((one) => !one.disabled && (named(one.value) || named(one.label)))
    const [only] = found
    if (!only || found.length > 1) return false
    if (only.value !== value) onChange(only.value)
    return true
  }
  return { typed, takeTyped }
}

type ChoicesProps = {
  label: string
  noMatch: string
  rows: ReadonlyMap<string, Option>
  size: 'field' | 'wide' | undefined
}

const Choices = ({ size, ...list }: ChoicesProps) => (
  <Base.Portal>
    <Base.Positioner className="z-50" sideOffset={4} align="start" collisionPadding={8}>
      <Base.Popup
        className={cx(
          popupClass,
          'max-w-(--available-width) overflow-hidden',
          size === 'wide' ? 'w-[max(var(--anchor-width),384px)]' : 'w-(--anchor-width) min-w-56',
        )}
      >
        <List {...list} />
      </Base.Popup>
    </Base.Positioner>
  </Base.Portal>
)

function List({ label, noMatch, rows }: Omit<ChoicesProps, 'size'>) {
  return (
    // A landmark, because the list is drawn outside of the page.
    <section aria-label="Choices">
      <Base.Empty>
        <p className="px-3 py-2 text-soft text-sm">{noMatch}</p>
      </Base.Empty>
      <Base.List
        aria-label={label}
        className="max-h-[min(24rem,var(--available-height))] overflow-y-auto p-1 empty:p-0"
      >
        {(group: Group) => (
          <Base.Group
            key={group.value}
            items={group.items}
            className="not-first:mt-1 not-first:border-line not-first:border-t not-first:pt-1"
          >
            {group.label !== null && (
              <Base.GroupLabel className="px-2 py-1 text-soft text-xs">
                {group.label}
              </Base.GroupLabel>
            )}
            <Base.Collection>
              {(row: string) => (
                <Base.Item
                  key={row}
                  value={row}
                  disabled={rows.get(row)?.disabled ?? false}
                  className={itemClass}
                >
                  <OptionRow option={rows.get(row)} />
                </Base.Item>
              )}
            </Base.Collection>
          </Base.Group>
        )}
      </Base.List>
    </section>
  )
}

/** The row that only says something; no option has this value. */
const moreValue = '\u0000more'

type Group = { value: string; label: string | null; items: string[] }

/**
 * The same object until the options really change: given another one, Base UI replaces what is
 * being typed with the label of the chosen option.
 */
function useGroups(options: readonly Option[]): Group[] {
  const groups = Map.groupBy(options, ({ value, group = '' }) =>
    value === moreValue ? moreValue : group,
  )
  const written = JSON.stringify(
    [...groups].map(([name, members]) => ({
      value: name,
      label: name === '' || name === moreValue ? null : name,
      items: members.map(({ value }) => value),
    })),
  )
  return useMemo(() => JSON.parse(written), [written])
}

function OptionRow({ option }: { option: Option | undefined }) {
  if (!option) return null
  const { label, detail, note } = option
  return (
    <>
      <span className="flex w-4 shrink-0">
        <Base.ItemIndicator>
          <Check size={14} aria-hidden />
        </Base.ItemIndicator>
      </span>
      <span className="min-w-0 grow">
        <span className="line-clamp-3 [overflow-wrap:anywhere]">{label}</span>
        {detail && <span className="block text-soft text-xs">{detail}</span>}
      </span>
      {note && <span className="max-w-1/2 truncate text-soft text-xs">{note}</span>}
    </>
  )
}
