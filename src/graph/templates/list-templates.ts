import { answerFromDocuments } from './answer-from-documents.ts'
import { approvedVideo } from './approved-video.ts'
import { articleToSocialPosts } from './article-to-social-posts.ts'
import { codeWithReview } from './code-with-review.ts'
import { githubIssueSummary } from './github-issue-summary.ts'
import { imageVariationsWithCritic } from './image-variations-with-critic.ts'
import { meetingNotes } from './meeting-notes.ts'
import { productPhotoSet } from './product-photo-set.ts'
import { slackQuestion } from './slack-question.ts'
import { storyboardToVideo } from './storyboard-to-video.ts'
import type { WorkflowTemplate } from './template.ts'
import { translateAndReview } from './translate-and-review.ts'
import { webhookEnrichment } from './webhook-enrichment.ts'
import { weeklyDigest } from './weekly-digest.ts'
import { weeklyPost } from './weekly-post.ts'

const templates: readonly WorkflowTemplate[] = [
  productPhotoSet,
  storyboardToVideo,
  articleToSocialPosts,
  weeklyPost,
  weeklyDigest,
  approvedVideo,
  githubIssueSummary,
  slackQuestion,
  translateAndReview,
  imageVariationsWithCritic,
  meetingNotes,
  answerFromDocuments,
  webhookEnrichment,
  codeWithReview,
]

/** In the order the console shows them. */
export const listTemplates = (): readonly WorkflowTemplate[] => templates
