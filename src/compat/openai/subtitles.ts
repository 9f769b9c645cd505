// Subtitles from the timed segments of a transcript. They are written here because providers do
// not report the usage of subtitle answers.
import { isRecord } from '#core/record.ts'
import type { Fields } from '../field-table.ts'

type Cue = { start: number; end: number; text: string }

export const srtOf = (record: Fields): string =>
  cuesOf(record)
    .map(({ start, end, text }, index) => {
      const times = `${timeOf(start, ',')} --> ${timeOf(end, ',')}`
      return `${index + 1}\n${times}\n${text}\n\n`
    })
    .join('')

export const vttOf = (record: Fields): string => {
  const cues = cuesOf(record).map(({ start, end, text }) => {
    return `${timeOf(start, '.')} --> ${timeOf(end, '.')}\n${text}\n\n`
  })
  return `WEBVTT\n\n${cues.join('')}`
}

/** A transcript without segments becomes one cue as long as the recording. */
function cuesOf({ segments, text, duration }: Fields): Cue[] {
  const timed = Array.isArray(segments) ? segments.filter(isRecord).map(cueOf) : []
  if (timed.length > 0) return timed
  const whole = cueOf({ start: 0, end: duration, text })
  return whole.text === '' ? [] : [whole]
}

/** An empty line ends a cue, and an arrow marks its times, so neither may occur in its text. */
const cueOf = ({ start, end, text }: Fields): Cue => ({
  start: secondsOf(start),
  end: secondsOf(end),
  text: String(text ?? '')
    .replaceAll('-->', '->')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n'),
})

const secondsOf = (value: unknown): number => {
  const seconds = Number(value)
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0
}

function timeOf(seconds: number, mark: ',' | '.'): string {
  const ms = Math.round(seconds * 1000)
  const pad = (value: number, length = 2) => String(Math.floor(value)).padStart(length, '0')
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map((part) => pad(part))
  return `${clock.join(':')}${mark}${pad(ms % 1000, 3)}`
}
