import { answerFromDocuments } from './answer-from-documents.ts'
import { articleToSocialPosts } from './article-to-social-posts.ts'
import { codeWithReview } from './code-with-review.ts'
import { imageVariationsWithCritic } from './image-variations-with-critic.ts'
import { meetingNotes } from './meeting-notes.ts'
import { productPhotoSet } from './product-photo-set.ts'
import { storyboardToVideo } from './storyboard-to-video.ts'
import type { WorkflowTemplate } from './template.ts'
import { translateAndReview } from './translate-and-review.ts'
import { webhookEnrichment } from './webhook-enrichment.ts'

const templates: readonly WorkflowTemplate[] = [
  productPhotoSet,
  storyboardToVideo,
  articleToSocialPosts,
  translateAndReview,
  imageVariationsWithCritic,
  meetingNotes,
  answerFromDocuments,
  webhookEnrichment,
  codeWithReview,
]

/** In the order the console shows them. */
export const listTemplates = (): readonly WorkflowTemplate[] => templates
