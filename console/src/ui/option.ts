/** A choice of a Select, a Combobox or a radio group. */
export type Option<T extends string = string> = {
  value: T
  label: string
  /** In soft text after the label: a price, a count. */
  note?: string
  disabled?: boolean
}
