import type { SlotLimits } from '../work/slots.ts'

/** How many deliveries may be in flight in this process. */
export type DeliveryLimits = {
  all: number
  account: number
  /** To one receiver, from all accounts together. */
  host: number
  /** One account's deliveries to one receiver: a queue. */
  queue: number
}

export const perProcess: DeliveryLimits = { all: 256, account: 64, host: 32, queue: 8 }

/** A queue is named "account host". A host's key keeps the space, so it never equals an account. */
export const deliverySlots = (limits: DeliveryLimits): SlotLimits => ({
  inProcess: limits.all,
  of(queue) {
    const space = queue.indexOf(' ')
    return [
      { key: queue.slice(0, space), max: limits.account },
      { key: queue.slice(space), max: limits.host },
      { key: queue, max: limits.queue },
    ]
  },
})
