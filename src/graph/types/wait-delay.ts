import { isRecord } from '#core/record.ts'
import { Type } from '#core/schema.ts'
import { known, local, unknownValue } from '../node/guess.ts'
import { NodeFailure } from '../node/node-failure.ts'
import { type ConfigProblem, defineNode, fixedPorts } from '../node/node-type.ts'
import { firstPlaceholder, render } from '../node/placeholders.ts'
import { longestWaitSeconds } from '../node/wait-settings.ts'

type Config = { seconds?: number; until?: string }

const ports = fixedPorts({ value: 'any' }, { value: 'any', at: 'text' })

export const waitDelay = defineNode<Config>({
  type: 'wait.delay',
  canvas: {
    label: 'Delay',
    group: 'flow',
    icon: 'timer',
    help: 'Waits for a time, up to a year, and passes the value on. Meanwhile the run sleeps and costs nothing.',
    initial: { seconds: 60 },
  },
  config: Type.Object({
    seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: longestWaitSeconds,
        description: 'How long to wait. Set either this or until.',
      }),
    ),
    until: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'When to go on: a time such as 2027-01-31T09:00:00Z. {{name}} is a member of the value, {{value}} the value itself. A time in the past is over at once.',
      }),
    ),
  }),
  pure: false,
  waits: () => true,
  ports: () => ports,
  check: timeProblems,
  placeholders: ({ until }) =>
    typeof until === 'string'
      ? [{ path: '/until', text: until, from: 'value', given: ['value'] }]
      : [],
  estimate: ({ inputs }) =>
    local({ value: inputs.ports.value ?? known(null), at: unknownValue({ high: 20 }) }),
  async execute(context, { ports: { value = null } }, { seconds, until }) {
    const time =
      until === undefined ? { afterMs: (seconds ?? 1) * 1000 } : { untilMs: timeOf(until, value) }
    const { atMs } = await context.wait({ kind: 'DELAY', title: '', value, time, details: {} })
    return { value, at: new Date(atMs).toISOString() }
  },
})

function timeProblems({ seconds, until }: Config): ConfigProblem[] {
  if ((seconds === undefined) === (until === undefined)) {
    const message = 'set either seconds or until'
    return [{ path: seconds === undefined ? '/seconds' : '/until', message }]
  }
  if (until === undefined || firstPlaceholder(until) !== -1) return []
  const isTime = readTime(until) !== null
  return isTime ? [] : [{ path: '/until', message: `until ${expected}` }]
}

const expected = 'must be a time with its zone, such as 2027-01-31T09:00:00Z'

function timeOf(until: string, value: unknown): number {
  const text = render(until, isRecord(value) ? { value, ...value } : { value })
  const timeMs = readTime(text)
  if (timeMs !== null) return timeMs
  throw new NodeFailure('TYPE_MISMATCH', `until is "${text.slice(0, 100)}": it ${expected}.`)
}

const rfc3339 =
  /^(\d{4}-(\d\d)-(\d\d))[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

/** Milliseconds since 1970; null if it is not a time of RFC 3339. */
function readTime(text: string): number | null {
  const [, date] = rfc3339.exec(text) ?? []
  const timeMs = date === undefined ? Number.NaN : Date.parse(text.replace(' ', 'T').toUpperCase())
  // The 31st of a shorter month would become a day of the next one.
  const isDay = date !== undefined && new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date)
  return isDay && Number.isFinite(timeMs) ? timeMs : null
}
