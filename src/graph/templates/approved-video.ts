import { node, type WorkflowTemplate, wire } from './template.ts'

export const approvedVideo: WorkflowTemplate = {
  id: 'approved-video',
  name: 'Approval before a video',
  description:
    'Writes a script and draws the first frame, then asks you. Only what you approve is filmed and paid for.',
  icon: 'user-check',
  data: {
    nodes: [
      node('idea', 'input.text', [0, 0], {
        label: 'Idea',
        description: 'What the video is about.',
        minLength: 3,
        maxLength: 2000,
      }),
      node('ask', 'text.template', [1, 0], {
        label: 'Ask for a script',
        template: 'Summarise in two sentences what a short video of this would show: {{idea}}',
      }),
      node('script', 'text.generate', [2, 0], {
        label: 'Script',
        model: 'demo-text',
        maxTokens: 300,
      }),
      node('frame', 'image.generate', [2, 1], {
        label: 'First frame',
        model: 'demo-image',
        imageAspectRatio: '16:9',
        imageSampleSize: '512',
      }),
      node('offer', 'flow.merge', [3, 0], { label: 'Script and frame', mode: 'object' }),
      node('decide', 'wait.approval', [4, 0], {
        label: 'Film this?',
        title: 'Film this?',
        description: 'Look at the script and the first frame. The video is made if you approve.',
        expiresAfterSeconds: 259_200,
      }),
      node('lines', 'json.transform', [5, 0], {
        label: 'The script',
        expression: 'script',
        outputType: 'text',
      }),
      node('start', 'json.transform', [5, 1], {
        label: 'The frame',
        expression: 'frame',
        outputType: 'image',
      }),
      node('film', 'video.generate', [6, 0], {
        label: 'Film it',
        model: 'demo-video',
        videoAspectRatio: '16:9',
        videoSeconds: 2,
        videoResolution: '360p',
      }),
      node('video', 'output', [7, 0], { label: 'Video' }),
      node('dropped', 'output', [5, 2], { label: 'Rejected' }),
      node('late', 'output', [5, 3], { label: 'Nobody answered' }),
    ],
    connections: [
      wire('idea', 'ask.idea'),
      wire('ask', 'script.prompt'),
      wire('idea', 'frame.prompt'),
      wire('script', 'offer'),
      wire('frame', 'offer'),
      wire('offer', 'decide'),
      wire('decide.approved', 'lines'),
      wire('decide.approved', 'start'),
      wire('lines', 'film.prompt'),
      wire('start', 'film.image'),
      wire('film', 'video'),
      wire('decide.rejected', 'dropped'),
      wire('decide.expired', 'late'),
    ],
  },
  sampleInputs: {
    idea: 'A paper boat drifts down a rainy street. At dusk it reaches the river and sails on.',
  },
}
