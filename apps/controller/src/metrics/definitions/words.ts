export const provider = "the provider block's key, such as `rfc2136`";
export const reason = 'a word out of [Reasons](conditions.md)';
export const one = 'one';
export const callSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
export const waitSeconds = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800] as const;
