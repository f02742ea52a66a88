export declare const kedaVersion: string;
