import type { ReactNode } from 'react'
import { useCanvasUi } from '#console/canvas/canvas-ui.ts'
import { useShown } from '#console/canvas/context.ts'
import { cx } from '#console/lib/cx.ts'
import { locale } from '#console/lib/locale.ts'
import { formatDuration, fullTime } from '#console/lib/time.ts'
import { shownAs } from '#console/shared/value-kind.ts'
import { ValueView } from '#console/shared/value-view.tsx'
import { Money } from '#console/ui/money.tsx'
import { differencesOf, type ValueDifference } from './differences.ts'
import { useNameOf } from './use-name-of.ts'

/** Two runs side by side: what went in, what came out, how long it took and what it cost. */
export function RunDifferenceView() {
  const run = useShown((state) => state.run)
  const other = useShown((state) => state.other)
  const nameOf = useNameOf()
  const { openResult } = useCanvasUi()
  if (!run || !other) return null
  const found = differencesOf(run, other)
  const { currency } = run.state.run.cost
  const startOf = (at: string) => fullTime(Date.parse(at), locale)
  return (
    <section aria-label="Differences of two runs" className="flex flex-col gap-4">
      <dl className="grid grid-cols-[auto_1fr_1fr] gap-x-3 gap-y-1 text-sm">
        <dt className="text-soft">Run</dt>
        <Both a={<strong>A</strong>} b={<strong>B</strong>} />
        <dt className="text-soft">Started</dt>
        <Both a={startOf(run.state.run.createdAt)} b={startOf(other.state.run.createdAt)} />
        <dt className="text-soft">Took</dt>
        <Both a={took(found.tookMs[0])} b={took(found.tookMs[1])} />
        <dt className="text-soft">Cost</dt>
        <Both
          a={<Money value={{ amount: found.cost[0], currency }} />}
          b={<Money value={{ amount: found.cost[1], currency }} />}
        />
      </dl>
      <Values title="Inputs" none="Same inputs." values={found.inputs} nameOf={nameOf} />
      <Values title="Outputs" none="Same outputs." values={found.outputs} nameOf={nameOf} />
      {found.nodes.length > 0 && (
        <div>
          <h3 className="mb-1 font-semibold text-sm">Nodes with different results</h3>
          <ul className="flex flex-col gap-1">
            {found.nodes.map((id) => (
              <li key={id}>
                <button
                  type="button"
                  className="text-left text-accent text-sm underline"
                  onClick={() => openResult(id)}
                >
                  {nameOf(id)}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  )
}

const took = (ms: number | null): string => (ms === null ? '–' : formatDuration(ms))

const Both = ({ a, b }: { a: ReactNode; b: ReactNode }) => (
  <>
    <dd>{a}</dd>
    <dd>{b}</dd>
  </>
)

type ValuesProps = {
  title: string
  none: string
  values: readonly ValueDifference[]
  nameOf(id: string): string
}

function Values({ title, none, values, nameOf }: ValuesProps) {
  return (
    <div className="flex flex-col gap-2">
      <h3 className="font-semibold text-sm">{title}</h3>
      {values.length === 0 && <p className="text-soft text-sm">{none}</p>}
      {values.map(({ id, a, b }) => (
        <div key={id} className="flex flex-col gap-1">
          <h4 className="text-soft text-sm">{nameOf(id)}</h4>
          {/* Pictures side by side; texts below each other, where their lines are long enough. */}
          <div className={cx('grid gap-2', isMedia(a) && isMedia(b) && 'grid-cols-2')}>
            <Side run="A" of={nameOf(id)} value={a} />
            <Side run="B" of={nameOf(id)} value={b} />
          </div>
        </div>
      ))}
    </div>
  )
}

const isMedia = (value: unknown): boolean => shownAs(value).kind === 'media'

const Side = ({ run, of, value }: { run: 'A' | 'B'; of: string; value: unknown }) => (
  <div className="flex min-w-0 gap-2">
    <strong className="pt-1 text-sm">{run}</strong>
    <div className="min-w-0 grow">
      {value === undefined || value === null ? (
        <p className="pt-1 text-soft text-sm">Nothing</p>
      ) : (
        <ValueView name={`${run}: ${of}`} value={value} />
      )}
    </div>
  </div>
)
