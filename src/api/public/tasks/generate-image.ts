import { defineOperation } from '../context.ts'
import { callHeaders, keyErrors } from '../runs/idempotency.ts'
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
  requestHeaders: callHeaders,
  bodyLimitBytes: 10 * 1024 * 1024,
  body: CreativeRequest,
  tool: {
    name: 'svc_generate_image',
    starts: 'task',
    description:
      'Start an image generation; answers with a taskId at once. Keep the taskId and read it with svc_get_task until it has ended. List the models before choosing an IMAGE model. There is no idempotency key: after a time-out, a lost answer or a 5xx error the task may exist and be billed, so do not submit again but look for it with svc_list_tasks. Only 429 and 503 say that nothing was started.',
    arguments: creativeArguments('an IMAGE', imageFields),
  },
  success: creativeSuccess,
  errors: [
    ...keyErrors,
    'MODEL_NOT_FOUND',
    'MODEL_KIND_MISMATCH',
    'UNSUPPORTED_PARAMETER',
    'SPEND_LIMIT_REACHED',
    'UNPRICED_MODEL',
  ],
  repeatable: false,
  ifUnknown: 'List your tasks, newest first: it is there if it was accepted.',
  handle: (context, { body }) => submitCreative(context, body, 'IMAGE'),
})
