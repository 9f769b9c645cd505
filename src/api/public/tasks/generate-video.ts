import { defineOperation } from '../context.ts'
import { callHeaders, keyErrors } from '../runs/idempotency.ts'
import {
  CreativeRequest,
  creativeArguments,
  creativeSuccess,
  submitCreative,
  videoFields,
} from './creative-request.ts'

export const generateVideo = defineOperation({
  id: 'generateVideo',
  route: 'POST /videos/generations',
  summary: 'Submit a video generation as an asynchronous task',
  scope: 'tasks:write',
  rate: 'generation',
  requestHeaders: callHeaders,
  bodyLimitBytes: 10 * 1024 * 1024,
  body: CreativeRequest,
  tool: {
    name: 'svc_generate_video',
    starts: 'task',
    description:
      'Start a video generation; answers with a taskId at once. Keep the taskId and read it with svc_get_task until it has ended. List the models before choosing a VIDEO model. There is no idempotency key: after a time-out, a lost answer or a 5xx error the task may exist and be billed, so do not submit again but look for it with svc_list_tasks. Only 429 and 503 say that nothing was started.',
    arguments: creativeArguments('a VIDEO', videoFields),
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
  handle: (context, { body }) => submitCreative(context, body, 'VIDEO'),
})
