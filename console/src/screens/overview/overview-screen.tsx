import { useState } from 'react'
import { May } from '#console/shared/may.tsx'
import { Page } from '#console/ui/page.tsx'
import { FailuresCard } from './failures-card.tsx'
import { RunningCard } from './running-card.tsx'
import { SpendCard } from './spend-card.tsx'
import { Steps } from './steps.tsx'
import { useFirstSteps } from './use-first-steps.ts'
import { WorkflowsCard } from './workflows-card.tsx'

/** First the three steps; once they are done, the current state of things. */
export function OverviewScreen() {
  const done = useFirstSteps()
  // Once shown, the steps stay until the page is left: completing the last must not hide its
  // result.
  const [isNew, setNew] = useState(false)
  if (!isNew && done && !(done.image && done.run && done.key)) setNew(true)
  return (
    <Page title="Overview">
      {isNew && done && (
        <May need="editor">
          <Steps done={done} folds />
        </May>
      )}
      <div className="grid gap-6 lg:grid-cols-2">
        <SpendCard />
        <RunningCard />
        <WorkflowsCard />
        <FailuresCard />
      </div>
    </Page>
  )
}

const nothingYet = { image: false, run: false, key: false }

/** The screen that the one-time link opens. */
export function WelcomeScreen() {
  const done = useFirstSteps()
  return (
    <Page
      title="Welcome to Atelier"
      width="read"
      lead="You are signed in. Three steps show what Atelier does. They cost nothing: the server comes with demo models."
    >
      <Steps done={done ?? nothingYet} folds={false} />
    </Page>
  )
}
