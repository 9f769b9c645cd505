/** Set only by the operator, to show what slow and failing providers do to callers. */
export type DemoOptions = {
  /** Each call waits this long before it starts. */
  delayMs?: number
  /** Every nth call fails. */
  failEvery?: number
  /** busy: may be repeated. content: must not be. lost: the outcome of the call is unknown. */
  failAs?: FailAs
}

const failures = ['busy', 'content', 'lost'] as const
export type FailAs = (typeof failures)[number]

/** Reads `delayMs=500,failEvery=3,failAs=lost`; every part is optional. */
export function parseDemoOptions(text: string): DemoOptions {
  const options: DemoOptions = {}
  for (const part of text.split(',').map((part) => part.trim())) {
    if (part === '') continue
    const [name = '', value = ''] = part.split('=', 2).map((side) => side.trim())
    if (Object.hasOwn(options, name)) throw new Error(`${name} is given twice`)
    if (name === 'delayMs') options.delayMs = whole(name, value, 0, 600_000)
    else if (name === 'failEvery') options.failEvery = whole(name, value, 1, 1_000_000)
    else if (name === 'failAs') options.failAs = failure(value)
    else throw new Error(`"${part}" is not one of delayMs=…, failEvery=…, failAs=…`)
  }
  return options
}

function whole(name: string, value: string, min: number, max: number): number {
  const number = /^[0-9]{1,9}$/.test(value) ? Number(value) : Number.NaN
  if (number >= min && number <= max) return number
  throw new Error(`${name} must be a whole number from ${min} to ${max}, not "${value}"`)
}

function failure(value: string): FailAs {
  const found = failures.find((name) => name === value)
  if (!found) throw new Error(`failAs must be one of ${failures.join(', ')}, not "${value}"`)
  return found
}
