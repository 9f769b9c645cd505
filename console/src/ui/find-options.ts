type Findable = {
  label: string
  note?: string | undefined
  group?: string | undefined
  keywords?: string | undefined
}

/** Options that contain every typed word in their label, heading or keywords. */
export function findOptions<T extends Findable>(options: readonly T[], typed: string): T[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return [...options]
  return options.filter(({ label, group = '', keywords = '' }) => {
    const text = `${label} ${group} ${keywords}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
