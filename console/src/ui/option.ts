/** A choice of a Select, a Combobox or a radio group. */
export type Option<T extends string = string> = {
  value: T
  label: string
  /** In soft text after the label: a price, a count. */
  note?: string
  /** A second line, in a Combobox. */
  detail?: string
  /** The heading it is listed under, in a Combobox. Options of a group are next to each other. */
  group?: string
  /** Other words that find it. */
  keywords?: string
  disabled?: boolean
}
