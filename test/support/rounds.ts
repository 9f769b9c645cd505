const isLong = process.env.ATELIER_TEST_ROUNDS === 'all'

/**
 * How often a random test tries: a fifth of `all` in `npm test`, where every run tries others, and
 * all of them in `npm run test:soak -- properties`.
 */
export const rounds = (all: number): number => (isLong ? all : Math.ceil(all / 5))
