/** The tests run as tsc has compiled them. */
export default { roots: ['<rootDir>/dist'], transform: {} };
