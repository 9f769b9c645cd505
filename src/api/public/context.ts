import type { Catalogue } from '#core/catalogue.ts'
import type { Clock } from '#core/clock.ts'
import type { GenerateText, SubmitTask } from '#core/generation.ts'
import type { Principal } from '#core/principal.ts'
import type { GraphTools } from '#graph/expressions/graph-tools.ts'
import type { Db } from '#store/db.ts'
import { defineFor } from '../operation.ts'
import type { RunServices } from './runs/run-services.ts'
import type { AgentDocuments } from './skills/agent-documents.ts'
import type { MediaUrls } from './tasks/task-record.ts'
import type { TriggerServices } from './triggers/trigger-services.ts'
import type { WaitServices } from './waits/wait-services.ts'

/** The path prefix of the public API, including the version. */
export const apiPrefix = '/api/ai-tools/v1'

/** Of the public API, as its OpenAPI document and MCP name it. */
export const apiVersion = '1.2.0'

/** The dependencies of operations, built once in app/engine.ts. */
export type Services = {
  db: Db
  clock: Clock
  catalogue: Catalogue
  baseUrl: string
  generateText: GenerateText
  submitTask: SubmitTask
  /** Makes freshly signed addresses for the media of a task. */
  mediaUrls: MediaUrls
  /** Code that users wrote runs in isolated processes. */
  graphs: Omit<GraphTools, 'checkRunSchemas' | 'close'> & {
    /** Returns the normalised address. Throws CALLBACK_URL_REJECTED. */
    checkCallbackUrl(url: string): Promise<string>
  }
  runs: RunServices
  waits: WaitServices
  triggers: TriggerServices
  /** Loaded on the first call. */
  agents(): Promise<AgentDocuments>
}

export type Context = { services: Services; principal: Principal }

export const defineOperation = defineFor<Context>()
