import type { Delivery } from '#console/api/types.ts'

export const deliveryStates = ['PENDING', 'DELIVERED', 'FAILED', 'DISABLED'] as const

export type WebhooksSearch = {
  status?: Delivery['status']
  runId?: string
  cursor?: string
  /** The delivery whose details are open. */
  delivery?: string
}

export const webhooksSearch = (search: Record<string, unknown>): WebhooksSearch => {
  const status = deliveryStates.find((one) => one === search.status)
  return {
    ...(status ? { status } : {}),
    ...text('runId', search.runId),
    ...text('cursor', search.cursor),
    ...text('delivery', search.delivery),
  }
}

const text = <Name extends string>(name: Name, value: unknown): { [Key in Name]?: string } =>
  typeof value === 'string' && value !== '' ? ({ [name]: value } as { [Key in Name]: string }) : {}
