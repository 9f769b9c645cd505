import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { useStartTour, useTour } from '#console/shared/tour.ts'
import { Button } from '#console/ui/button.tsx'
import { buttonClass } from '#console/ui/button-class.ts'
import { Card } from '#console/ui/card.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { nextStep, type StepName } from './first-steps.ts'
import { ImageStep } from './image-step.tsx'
import { Step } from './step.tsx'
import { TemplateStep } from './template-step.tsx'

/** The first three steps, all of which can be done right here. */
export function Steps({ done, folds }: { done: Record<StepName, boolean>; folds: boolean }) {
  const next = nextStep(done)
  const [before] = useState(done)
  const isFolded = (name: StepName) => folds && before[name]
  return (
    <Card title="First steps" flush actions={<TourButton />}>
      <ol>
        <ImageStep isDone={done.image} isNext={next === 'image'} isFolded={isFolded('image')} />
        <TemplateStep isDone={done.run} isNext={next === 'run'} isFolded={isFolded('run')} />
        <Step number={3} title="Create an API key" isDone={done.key} isFolded={isFolded('key')}>
          <p>
            With a key, your programs and agents do the same. See{' '}
            <Link to="/developer/connect" className="text-accent underline">
              ways to connect
            </Link>
            .
          </p>
          <div>
            <Link
              to="/developer/keys"
              search={{ new: true }}
              className={buttonClass(next === 'key' ? 'primary' : 'secondary')}
            >
              Create a key
            </Link>
          </div>
        </Step>
      </ol>
    </Card>
  )
}

function TourButton() {
  const [tour] = useTour()
  const start = useStartTour()
  return (
    <>
      {start.error && <Failure failure={toApiFailure(start.error)} />}
      <Button size="small" busy={start.isPending} onClick={() => start.mutate()}>
        {tour.workflowId === null ? 'Take the tour' : 'Resume the tour'}
      </Button>
    </>
  )
}
