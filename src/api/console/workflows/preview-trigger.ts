import { toRfc3339 } from '#core/clock.ts'
import { Type } from '#core/schema.ts'
import { openTimeZone } from '#core/time-zone.ts'
import { readCron } from '#core/triggers/cron.ts'
import { cronWords, shiftedDays } from '#core/triggers/cron-words.ts'
import { nextFirings } from '#core/triggers/due.ts'
import { byCron, everyMs } from '#core/triggers/timetable.ts'
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
  }),
  success: { 200: { description: 'When it would fire', data: Preview } },
  repeatable: true,
  isReadOnly: true,
  async handle({ services }, { body: { cron, timeZone = 'UTC', everySeconds } }) {
    const nowMs = await services.api.triggers.now()
    const upcoming = (timetable: Parameters<typeof nextFirings>[0]['timetable']) =>
      nextFirings({ id: '', timetable, jitterMs: 0 }, nowMs, shown).map(toRfc3339)
    if (everySeconds !== undefined) {
      const firings = upcoming(everyMs(everySeconds * 1000, nowMs, null))
      const words = `Every ${everySeconds} seconds`
      return answer({ words, nextFirings: firings, problems: [], notes: [] })
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
    const firings = upcoming(byCron(rule, zone, null))
    if (firings.length === 0) {
      problems.push({ path: '/cron', message: 'has no occurrence in the next five years' })
    }
    const words = `${cronWords(cron ?? '')}, ${zone.name}`
    const notes = shiftedDays(rule, zone, nowMs)
    return answer({ words, nextFirings: firings, problems, notes })
  },
})
