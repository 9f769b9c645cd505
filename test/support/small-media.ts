/** The demo provider draws pixel by pixel, and a film frame by frame. */
export const smallPicture = { imageSampleSize: '512' }
export const smallFilm = { videoSeconds: 1, videoResolution: '360p', videoAspectRatio: '1:1' }
