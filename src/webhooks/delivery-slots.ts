import type { SlotLimits } from '#work/slots.ts'

/** How many deliveries may be under way in this process. */
export type DeliveryLimits = {
  all: number
  account: number
  /** A receiver, whoever's runs call it. */
  host: number
  /** One account's deliveries to one receiver: a queue. */
  queue: number
}

/** A queue is named "account host". Cut at the space, its halves cannot be taken for each other. */
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
