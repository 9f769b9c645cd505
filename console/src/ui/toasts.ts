import { Toast } from '@base-ui/react/toast'

export const toastManager = Toast.createToastManager()

/**
 * Says that something happened that has no place on the page. An error that has a place is shown
 * there instead.
 */
export const toast = (title: string, description?: string): void => {
  toastManager.add({ title, ...(description ? { description } : {}) })
}
