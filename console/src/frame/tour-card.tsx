import { useNavigate, useRouterState } from '@tanstack/react-router'
import { Check, ChevronDown, ChevronUp, Circle } from 'lucide-react'
import { useEffect, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { cx } from '#console/lib/cx.ts'
import { useRemoveSamples, useTour } from '#console/shared/tour.ts'
import { Button } from '#console/ui/button.tsx'
import { Code } from '#console/ui/code.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { isCanvas } from './side-bar-state.ts'
import {
  currentStep,
  doneIn,
  showsCost,
  type TourStep,
  tourCommand,
  tourSteps,
} from './tour-steps.ts'
import { useTourFacts } from './use-tour-facts.ts'

/** The open tour: a card at the lower left that folds to one line, on whatever page it leads to. */
export function TourCard({ workflowId }: { workflowId: number }) {
  const [tour, setTour] = useTour()
  const [isFolded, setFolded] = useState(false)
  const facts = useTourFacts(workflowId, tour.isOpen)
  const remove = useRemoveSamples()
  const isAtCost = useRouterState({ select: ({ location }) => showsCost(location.pathname) })
  const isAtCanvas = useRouterState({ select: ({ location }) => isCanvas(location.pathname) })
  useEffect(() => {
    if (isAtCost && !tour.hasSeenCost) setTour((now) => ({ ...now, hasSeenCost: true }))
  }, [isAtCost, tour.hasSeenCost, setTour])
  const { hasTemplate = false, runId = null, keys = [] } = facts.data ?? {}
  const done = doneIn({ hasTemplate, hasRun: runId !== null, hasSeenCost: tour.hasSeenCost, keys })
  const current = currentStep(done)
  const count = tourSteps.filter(({ step }) => done[step]).length
  return (
    <aside
      aria-label="Tour"
      className={cx(
        'fixed right-4 bottom-20 left-4 z-30 rounded-md border border-line bg-card shadow-float',
        'md:w-88',
        // On the canvas beside the list of nodes and the tools of the view, above the runs; elsewhere
        // at the right, because a wide side bar has links at the left.
        isAtCanvas
          ? 'md:right-auto md:bottom-22 md:left-18 min-[1101px]:left-110'
          : 'md:bottom-12 md:left-auto',
      )}
    >
      <div className="flex items-center gap-2 py-2 pr-2 pl-4">
        <h2 className="grow font-semibold">
          Tour <span className="font-normal text-soft text-sm">{count} of 5</span>
        </h2>
        <Button variant="quiet" size="small" onClick={() => setTour({ ...tour, isOpen: false })}>
          Leave
        </Button>
        <IconButton
          label={isFolded ? 'Unfold the tour' : 'Fold the tour'}
          icon={isFolded ? <ChevronUp size={16} /> : <ChevronDown size={16} />}
          aria-expanded={!isFolded}
          onClick={() => setFolded(!isFolded)}
        />
      </div>
      {!isFolded && (
        <div className="flex flex-col gap-3 px-4 pb-4">
          <StepList
            {...{ done, current, workflowId, runId }}
            isShort={isAtCanvas && current !== null}
          />
          {current === null && <p>That is all. The same works with every model and workflow.</p>}
          {facts.error && <Failure failure={toApiFailure(facts.error)} />}
          {remove.error && <Failure failure={toApiFailure(remove.error)} />}
          <Button
            size="small"
            variant={current === null ? 'primary' : 'quiet'}
            className={cx('self-start', current !== null && '-ml-3')}
            busy={remove.isPending}
            onClick={() => remove.mutate()}
          >
            Remove sample data
          </Button>
        </div>
      )}
    </aside>
  )
}

type StepListProps = {
  done: Record<TourStep, boolean>
  current: TourStep | null
  workflowId: number
  runId: string | null
  /** Only the current step, where the card would cover what the step is about. */
  isShort: boolean
}

function StepList({ done, current, workflowId, runId, isShort }: StepListProps) {
  return (
    <ol className="flex flex-col gap-2">
      {tourSteps.map(({ step, title, text }) => (
        <li
          key={step}
          aria-current={step === current ? 'step' : undefined}
          // A phone has room for one step beside what it is about.
          className={cx('flex gap-2', step !== current && (isShort ? 'hidden' : 'max-md:hidden'))}
        >
          {done[step] ? (
            <Check size={16} className="mt-0.5 shrink-0 text-good" aria-hidden />
          ) : (
            <Circle size={16} className="mt-0.5 shrink-0 text-soft" aria-hidden />
          )}
          <div className="flex min-w-0 grow flex-col gap-1">
            <span className={cx(step === current && 'font-semibold')}>
              {title}
              {done[step] && <span className="sr-only"> (done)</span>}
            </span>
            {step === current && (
              <>
                <p className="text-soft text-sm">{text}</p>
                {step === 'call' ? (
                  <Code label="command" text={tourCommand(location.origin, workflowId)} wrap />
                ) : (
                  <ShowMe step={step} workflowId={workflowId} runId={runId} />
                )}
              </>
            )}
          </div>
        </li>
      ))}
    </ol>
  )
}

type ShowMeProps = Pick<StepListProps, 'workflowId' | 'runId'> & { step: Exclude<TourStep, 'call'> }

/** Leads to where the step is done, and moves the focus there. */
function ShowMe({ step, workflowId, runId }: ShowMeProps) {
  const navigate = useNavigate()
  const show = async () => {
    if (step === 'key') return navigate({ to: '/developer/keys', search: { new: true } })
    if (step === 'cost' && runId) return navigate({ to: '/runs/$runId', params: { runId } })
    await navigate({ to: '/workflows/$workflowId', params: { workflowId: String(workflowId) } })
    focusButton(step === 'build' ? ['Template', 'Add a node'] : ['Run'])
  }
  return (
    <Button size="small" className="self-start" onClick={() => void show()}>
      Show me
    </Button>
  )
}

/** The first of these names that is on the page. The canvas may still be loading, so it looks again. */
function focusButton(names: readonly string[], frames = 120) {
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('main button')].filter(
    (button) => button.checkVisibility(),
  )
  const found = names
    .map((name) =>
      buttons.find(
        ({ textContent, ariaLabel }) => textContent.trim() === name || ariaLabel === name,
      ),
    )
    .find(Boolean)
  if (found) found.focus()
  else if (frames > 0) requestAnimationFrame(() => focusButton(names, frames - 1))
}
