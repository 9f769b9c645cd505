// The steps of the tour. Each is ticked by what exists, never by hand.

export type TourFacts = {
  /** The sample begins without a template: whoever follows the tour adds it. */
  hasTemplate: boolean
  hasRun: boolean
  hasSeenCost: boolean
  /** Keys that people made. */
  keys: readonly { lastUsedAt: string | null }[]
}

export type TourStep = 'build' | 'run' | 'cost' | 'key' | 'call'

export const tourSteps: readonly { step: TourStep; title: string; text: string }[] = [
  {
    step: 'build',
    title: 'Build',
    text: 'Put “Template” between Subject and Draw: drag it from the list of nodes onto their wire, or add it and connect both. Write around {{input}} what the picture should look like, and save.',
  },
  {
    step: 'run',
    title: 'Run',
    text: 'Press Run and give a subject. The built-in model draws it, for free.',
  },
  { step: 'cost', title: 'See the cost', text: 'A run shows what each of its nodes cost.' },
  {
    step: 'key',
    title: 'Make a key',
    text: 'With a key, your programs run the same workflow. It is shown once: copy it.',
  },
  {
    step: 'call',
    title: 'Call it from a terminal',
    text: 'Set ATELIER_API_KEY to your key, and paste this:',
  },
]

export const doneIn = ({
  hasTemplate,
  hasRun,
  hasSeenCost,
  keys,
}: TourFacts): Record<TourStep, boolean> => ({
  build: hasTemplate,
  run: hasRun,
  cost: hasRun && hasSeenCost,
  key: keys.length > 0,
  call: keys.some(({ lastUsedAt }) => lastUsedAt !== null),
})

/** The first that is not done; null once all are. */
export const currentStep = (done: Record<TourStep, boolean>): TourStep | null =>
  tourSteps.find(({ step }) => !done[step])?.step ?? null

/** Pages that show what a run cost. */
export const showsCost = (pathname: string): boolean =>
  /^\/(runs\/[0-9a-f-]{36}|usage)/.test(pathname)

export const tourCommand = (origin: string, workflowId: number): string =>
  [
    `curl ${origin}/api/ai-tools/v1/workflows/${workflowId}/runs`,
    '  -H "Authorization: Bearer $ATELIER_API_KEY"',
    '  -H "Idempotency-Key: $(date +%s)"',
    '  -H "Content-Type: application/json"',
    `  -d '{"inputs":{"subject":"a harbour in the rain"}}'`,
  ].join(' \\\n')
