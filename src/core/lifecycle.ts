/** The vendor answers no calls from the start of this day on (UTC), if it has named one. */
export type Shutdown = { day?: string; replacement?: string }

/** `replacement`: the model to use instead. */
export type Lifecycle = {
  status: 'retiring' | 'retired'
  shutdownAt?: string
  replacement?: string
}

export const lifecycleAt = ({ day, replacement }: Shutdown, nowMs: number): Lifecycle => ({
  status: day !== undefined && nowMs >= Date.parse(day) ? 'retired' : 'retiring',
  ...(day === undefined ? {} : { shutdownAt: day }),
  ...(replacement === undefined ? {} : { replacement }),
})
