// Which of the first steps are done, derived from what exists. Pure; nothing is ticked by hand.

export type StepsSeen = {
  /** A completed image exists. */
  hasImage: boolean
  /** A completed run exists. */
  hasRun: boolean
  keyNames: readonly string[]
}

/** The server creates this key itself when it first starts. */
const firstKeyName = 'owner.key'

export type StepName = 'image' | 'run' | 'key'

export const doneSteps = ({
  hasImage,
  hasRun,
  keyNames,
}: StepsSeen): Record<StepName, boolean> => ({
  image: hasImage,
  run: hasRun,
  key: keyNames.some((name) => name !== firstKeyName),
})

const order: readonly StepName[] = ['image', 'run', 'key']

/** The step whose button stands out. */
export const nextStep = (done: Record<StepName, boolean>): StepName | undefined =>
  order.find((name) => !done[name])
