import { TextInput } from './text-input.tsx'

type DayFilterProps = {
  label: string
  value: string | undefined
  onChange(day: string | undefined): void
}

export const DayFilter = ({ label, value = '', onChange }: DayFilterProps) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is inside, in a component
  <label className="flex gap-x-2 gap-y-1 text-soft text-sm max-md:flex-col md:items-center">
    {label}
    <TextInput
      type="date"
      className="md:w-36"
      value={value}
      onChange={({ target }) => onChange(target.value || undefined)}
    />
  </label>
)
