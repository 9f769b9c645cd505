/** A choice of a Select, a Combobox or a group of radios. */
export type Option<T extends string = string> = {
  value: T
  label: string
  /** Softly after the label: a price, a count. */
  note?: string
  disabled?: boolean
}
