/** RFC 8785: members sorted by UTF-16 code units, numbers and strings written as in ECMAScript. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const names = Object.keys(value)
  if (names.length === 0) return '{}'
  const members: string[] = []
  for (const name of names.sort()) {
    const member = (value as Record<string, unknown>)[name]
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${canonicalJson(member)}`)
  }
  return `{${members.join(',')}}`
}
