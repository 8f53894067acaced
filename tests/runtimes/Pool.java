import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** What a bot in Java may use in a sandbox. */
public class Pool {
    public static void main(String[] args) throws Exception {
        var pool = Executors.newFixedThreadPool(40);
        var sum = pool.submit(() -> IntStream.range(0, 100_000).parallel().sum());
        check(sum.get() == IntStream.range(0, 100_000).sum());
        pool.shutdown();
        var later = Executors.newScheduledThreadPool(2);
        check(later.schedule(() -> 3, 5, TimeUnit.MILLISECONDS).get() == 3);
        later.shutdown();
        var thread = new Thread(System::gc);
        thread.setPriority(Thread.MAX_PRIORITY);
        thread.start();
        thread.join();
        Path folder = Path.of(System.getenv("TMPDIR"));
        Path file = Files.writeString(folder.resolve("a"), "text");
        try (var one = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                var other = FileChannel.open(
                        folder.resolve("b"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            one.lock().release();
            var mapped = one.map(FileChannel.MapMode.READ_WRITE, 0, 4);
            mapped.put(0, (byte) 'T');
            mapped.force();
            check(one.transferTo(0, 4, other) == 4);
            ByteBuffer.allocateDirect(1 << 20);
        }
        var process = new ProcessBuilder("sh", "-c", "echo text").start();
        check(new String(process.getInputStream().readAllBytes()).equals("text\n"));
    }

    private static void check(boolean isRight) {
        if (!isRight) {
            throw new AssertionError();
        }
    }
}
