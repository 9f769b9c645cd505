/** The shown run and the one it is compared with, as the address names them. */
export type ShownRunAddress = {
  runId: string | null
  otherId: string | null
  onShow(runId: string | null): void
  onCompare(runId: string | null): void
}
