import { toRfc3339 } from '#core/clock.ts'
import { Type } from '#core/schema.ts'
import { openTimeZone } from '#core/time-zone.ts'
import { readCron } from '#core/triggers/cron.ts'
import { cronWords, intervalWords, shiftedDays } from '#core/triggers/cron-words.ts'
import { nextFirings } from '#core/triggers/due.ts'
import { byCron, everyMs, type Timetable } from '#core/triggers/timetable.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord, Timestamp } from '../../schemas.ts'
import { defineConsole } from '../context.ts'

const Preview = NamedRecord('TriggerPreview', {
  words: Type.String({ description: 'The schedule as a sentence; empty if it cannot be read.' }),
  nextFirings: Type.Array(Timestamp),
  problems: Type.Array(Closed({ path: Type.String(), message: Type.String() })),
  notes: Type.Array(Type.String(), {
    description: 'Days on which the clocks change and it fires at another time.',
  }),
})

const shown = 5

export const previewTrigger = defineConsole({
  id: 'previewTrigger',
  route: 'POST /triggers/preview',
  summary: 'Shows when a schedule would fire, without storing it',
  access: 'viewer',
  body: Closed({
    cron: Type.Optional(Type.String({ maxLength: 300 })),
    timeZone: Type.Optional(Type.String({ maxLength: 100, default: 'UTC' })),
    everySeconds: Type.Optional(Type.Integer({ minimum: 60, maximum: 31_536_000 })),
    startAt: Type.Optional(Type.String({ format: 'date-time' })),
    endAt: Type.Optional(Type.String({ format: 'date-time' })),
  }),
  success: { 200: { description: 'When it would fire', data: Preview } },
  repeatable: true,
  isReadOnly: true,
  async handle({ services }, { body }) {
    const { cron, timeZone = 'UTC', everySeconds } = body
    const nowMs = await services.api.triggers.now()
    const endMs = body.endAt === undefined ? null : Date.parse(body.endAt)
    const startMs = body.startAt === undefined ? nowMs : Date.parse(body.startAt)
    const upcoming = (timetable: Timetable) =>
      nextFirings({ id: '', timetable, jitterMs: 0 }, nowMs, shown).map(toRfc3339)
    if (everySeconds !== undefined) {
      const firings = upcoming(everyMs(everySeconds * 1000, startMs, endMs))
      const problems = firings.length === 0 ? [none('/everySeconds', endMs)] : []
      const words = intervalWords(everySeconds)
      return answer({ words, nextFirings: firings, problems, notes: [] })
    }
    const rule = readCron(cron ?? '')
    const zone = openTimeZone(timeZone)
    const problems = [
      ...(typeof rule === 'string' ? [{ path: '/cron', message: rule }] : []),
      ...(zone ? [] : [{ path: '/timeZone', message: `is not a known zone: "${timeZone}"` }]),
    ]
    if (typeof rule === 'string' || !zone) {
      return answer({ words: '', nextFirings: [], problems, notes: [] })
    }
    const firings = upcoming(byCron(rule, zone, endMs))
    if (firings.length === 0) problems.push(none('/cron', endMs))
    const words = `${cronWords(cron ?? '')}, ${zone.name}`
    const notes = shiftedDays(rule, zone, nowMs)
    return answer({ words, nextFirings: firings, problems, notes })
  },
})

/** Nothing is left of a schedule: because of its end, if it has one. */
const none = (path: string, endMs: number | null) => ({
  path: endMs === null ? path : '/endAt',
  message: endMs === null ? 'has no occurrence in the next five years' : 'leaves no occurrence',
})
