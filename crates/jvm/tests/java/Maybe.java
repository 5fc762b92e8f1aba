package nulls;

import java.lang.annotation.*;

public class Maybe {
    @Retention(RetentionPolicy.RUNTIME) public @interface NullMarked {}
    @Retention(RetentionPolicy.RUNTIME) public @interface NullUnmarked {}
    @Retention(RetentionPolicy.RUNTIME) @Target(ElementType.TYPE_USE) public @interface Nullable {}
}
