import { currency, toAmount } from '#core/money.ts'
import { withRoutes } from '#core/routed-catalogue.ts'
import { Type } from '#core/schema.ts'
import { known } from '#graph/node/guess.ts'
import { estimateMedia } from '#graph/node/media-node.ts'
import { modelLookup } from '#graph/node/model-lookup.ts'
import { assumedSeconds } from '#graph/types/video-generate.ts'
import { readAccount } from '#store/tables/accounts.ts'
import { chooseModel } from '../../model-choice.ts'
import { answer } from '../../operation.ts'
import { Amount, Closed, NamedRecord, Nullable } from '../../schemas.ts'
import { asApiCaller, defineConsole } from '../context.ts'
import { ModelName } from '../fields.ts'

const TaskEstimate = NamedRecord('TaskEstimate', {
  estimatedCost: Nullable({ ...Amount, description: 'Null if no price is known.' }),
  lowCost: Nullable(Amount),
  highCost: Nullable(Amount),
  currency: Type.String(),
  exact: Type.Boolean({ description: 'False if the cost is uncertain; see assumptions.' }),
  assumptions: Type.Array(Type.String()),
})

export const estimateTask = defineConsole({
  id: 'estimateTask',
  route: 'POST /tasks/estimate',
  summary: 'Estimates what images or videos will cost, by the same rules as a workflow',
  access: 'viewer',
  body: Closed({
    model: ModelName,
    prompt: Type.Optional(Type.String({ maxLength: 256 * 1024 })),
    hasImage: Type.Optional(Type.Boolean({ description: 'True with an input picture.' })),
    hasMask: Type.Optional(Type.Boolean({ description: 'True with a mask for it.' })),
    videoSeconds: Type.Optional(Type.Integer({ minimum: 1 })),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 8, description: '1 if absent.' })),
  }),
  success: { 200: { description: 'The estimate for all of them.', data: TaskEstimate } },
  errors: ['MODEL_NOT_FOUND', 'MODEL_KIND_MISMATCH'],
  repeatable: true,
  isReadOnly: true,
  async handle(console, { body: { model: id, prompt = '', count = 1, ...given } }) {
    const { hasImage, hasMask, videoSeconds } = given
    const { services, principal } = asApiCaller(console)
    const { model } = chooseModel(withRoutes(services.catalogue, principal.routes), id, [
      'IMAGE',
      'VIDEO',
    ])
    const account = await readAccount(services.db, principal.accountId)
    const seconds = videoSeconds ?? model.capabilities.videoSeconds?.default
    const { cost, exact, assumptions } = estimateMedia(
      { models: modelLookup(services.catalogue, account ?? {}) },
      model.id,
      {
        units: model.kind === 'IMAGE' ? { images: 1 } : { videoSeconds: seconds ?? assumedSeconds },
        prompt: known(prompt || 'a'),
        image: known(hasImage ? '' : null),
        mask: known(hasMask ? '' : null),
        outputs: [],
      },
    )
    const isAssumed = model.kind === 'VIDEO' && seconds === undefined
    const times = (micros: number | undefined) =>
      micros === undefined ? null : toAmount(micros * count)
    return answer({
      estimatedCost: times(cost?.expected),
      lowCost: times(cost?.low),
      highCost: times(cost?.high),
      currency,
      exact: exact && !isAssumed,
      assumptions: isAssumed
        ? [...assumptions, `The length is not known: ${assumedSeconds} s are assumed.`]
        : assumptions,
    })
  },
})
