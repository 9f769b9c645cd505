import { defineOperation } from '#operations/context.ts'
import {
  CreativeRequest,
  creativeArguments,
  creativeSuccess,
  imageFields,
  submitCreative,
} from './creative-request.ts'

export const generateImage = defineOperation({
  id: 'generateImage',
  route: 'POST /images/generations',
  summary: 'Submit an image generation as an asynchronous task',
  scope: 'tasks:write',
  rate: 'generation',
  bodyLimitBytes: 10 * 1024 * 1024,
  body: CreativeRequest,
  tool: {
    name: 'svc_generate_image',
    description:
      'Start an image generation; answers with a taskId at once. Keep the taskId and read it with svc_get_task. List the models before choosing an IMAGE model. There is no idempotency: after a time-out or lost answer do not submit again, look for the task with svc_list_tasks.',
    arguments: creativeArguments('an IMAGE', imageFields),
  },
  success: creativeSuccess,
  errors: [
    'MODEL_NOT_FOUND',
    'MODEL_KIND_MISMATCH',
    'UNSUPPORTED_PARAMETER',
    'SPEND_LIMIT_REACHED',
  ],
  repeatable: false,
  handle: (context, { body }) => submitCreative(context, body, 'IMAGE'),
})
