import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { consoleCall } from '#console/api/console-api.ts'
import { locale } from '#console/lib/locale.ts'
import { previewOf } from './trigger-body.ts'
import { browserZone, type TriggerDraft } from './trigger-draft.ts'

const typedMs = 250
const shown = new Intl.DateTimeFormat(locale, {
  ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit' },
})

/** What the server says about a schedule, a moment after the last key. */
export function SchedulePreview({ draft }: { draft: TriggerDraft }) {
  const written = JSON.stringify(previewOf(draft))
  const [asked, setAsked] = useState(written)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(written), typedMs)
    return () => clearTimeout(timer)
  }, [written])
  const { data } = useQuery({
    queryKey: ['triggers', 'preview', asked],
    queryFn: ({ signal }) =>
      consoleCall('POST /triggers/preview', { body: JSON.parse(asked), signal }),
    enabled: asked !== 'null',
    placeholderData: (before) => before,
  })
  if (!data || written === 'null') return null
  const [problem] = data.problems
  const jitter = Number(draft.jitterSeconds)
  return (
    <div aria-live="polite" className="rounded-sm bg-sunken px-4 py-3 text-sm">
      {problem ? (
        <p className="text-bad">
          {words[problem.path] ?? ''} {problem.message}.
        </p>
      ) : (
        <>
          <p className="font-semibold">{data.words}</p>
          {!draft.isInterval && draft.timeZone !== browserZone() && (
            <p className="text-soft">In your local time:</p>
          )}
          <ol className="mt-1 text-soft">
            {data.nextFirings.map((at) => (
              <li key={at}>{shown.format(Date.parse(at))}</li>
            ))}
          </ol>
          {jitter > 0 && <p className="mt-1 text-soft">Each up to {jitter} seconds later.</p>}
          {data.notes.map((note) => (
            <p key={note} className="mt-1 text-warn">
              {note}
            </p>
          ))}
        </>
      )}
    </div>
  )
}

const words: Readonly<Record<string, string>> = {
  '/cron': 'This schedule',
  '/timeZone': 'The time zone',
  '/everySeconds': 'This interval',
  '/endAt': 'Its end',
}
